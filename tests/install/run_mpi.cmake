# SPDX-License-Identifier: MIT
# Builds consumer/mpi_ranks.c with the solver installed in WORK/prefix and runs it on 1, 2 and 3 ranks.
set(folder ${WORK}/mpi)
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE}/tests/install/consumer -B ${folder} -G ${GENERATOR}
    -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_C_COMPILER=${CC} -DCONSUMER_LANGUAGE=C -DCONSUMER_COMPONENT=mpi
    RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
if(out MATCHES "no MPI")
    message("skipped: no MPI")
    return()
endif()
if(NOT code EQUAL 0)
    message(FATAL_ERROR "${out}\n${err}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --build ${folder} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
if(NOT code EQUAL 0)
    message(FATAL_ERROR "${out}\n${err}")
endif()
# the hash of all boxes is the same, however many ranks share them
set(want "")
file(READ ${folder}/mpiexec.txt mpiexec)
foreach(ranks 1 2 3)
    execute_process(COMMAND ${mpiexec} -n ${ranks} ${folder}/program RESULT_VARIABLE code OUTPUT_VARIABLE out
        ERROR_VARIABLE err)
    if(NOT code EQUAL 0 OR NOT out MATCHES "hash ([0-9a-f]+)")
        message(FATAL_ERROR "${ranks} ranks: ${code}\n${out}\n${err}")
    endif()
    message("${out}")
    if(want AND NOT want STREQUAL CMAKE_MATCH_1)
        message(FATAL_ERROR "${ranks} ranks end with hash ${CMAKE_MATCH_1}, fewer with ${want}")
    endif()
    set(want ${CMAKE_MATCH_1})
endforeach()
