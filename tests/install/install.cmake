# SPDX-License-Identifier: MIT
# What a user of an installed Talus does, in tests labelled install:
#   install/this_kind   install this build, then build and run outside programs with it: by the CMake package and by
#                       pkg-config, in C and C++, solver alone and everything, and an MPI program
#   install/other_kind  the same with static instead of shared libraries, or the other way round, from a build of its own
# run.cmake does it; consumer/ is the outside project.
if(TALUS_SANITIZE)
    return() # outside programs are not instrumented
endif()
find_program(TALUS_NM nm)
foreach(kind this_kind other_kind)
    add_test(NAME install/${kind} COMMAND ${CMAKE_COMMAND} -DKIND=${kind} -DSOURCE=${PROJECT_SOURCE_DIR}
        -DBUILD=${PROJECT_BINARY_DIR} -DWORK=${CMAKE_CURRENT_BINARY_DIR}/install/${kind} -DSHARED=${BUILD_SHARED_LIBS}
        -DCC=${CMAKE_C_COMPILER} -DCXX=${CMAKE_CXX_COMPILER} -DPKGCONFIG=${PKG_CONFIG_EXECUTABLE} -DNM=${TALUS_NM}
        "-DGENERATOR=${CMAKE_GENERATOR}" -DLIBDIR=${CMAKE_INSTALL_LIBDIR} -P ${CMAKE_CURRENT_SOURCE_DIR}/install/run.cmake)
    set_tests_properties(install/${kind} PROPERTIES LABELS install TIMEOUT 1800 RUN_SERIAL ON)
endforeach()

# the MPI program needs MPI: a skipped test where there is none
add_test(NAME install/mpi COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR}
    -DWORK=${CMAKE_CURRENT_BINARY_DIR}/install/this_kind -DCC=${CMAKE_C_COMPILER} "-DGENERATOR=${CMAKE_GENERATOR}"
    -P ${CMAKE_CURRENT_SOURCE_DIR}/install/run_mpi.cmake)
set_tests_properties(install/this_kind PROPERTIES FIXTURES_SETUP talus_prefix)
set_tests_properties(install/mpi PROPERTIES LABELS install TIMEOUT 600 FIXTURES_REQUIRED talus_prefix
    SKIP_REGULAR_EXPRESSION "skipped: no MPI" ENVIRONMENT
    "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_rmaps_base_oversubscribe=1;OMPI_MCA_btl_vader_single_copy_mechanism=none")
