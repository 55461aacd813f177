# SPDX-License-Identifier: MIT
# The examples are programs of a user: public headers, public libraries, and each checks its own result.
find_package(Threads REQUIRED)
function(talus_example name library)
    add_executable(example_${name} ${CMAKE_CURRENT_SOURCE_DIR}/examples/${name}.c)
    target_link_libraries(example_${name} PRIVATE ${library} Threads::Threads m talus_flags)
    add_test(NAME examples/${name} COMMAND example_${name} ${ARGN})
    set_tests_properties(examples/${name} PROPERTIES LABELS examples TIMEOUT 600)
endfunction()
set(blocks ${CMAKE_CURRENT_LIST_DIR}/blocks.xml)
talus_example(solver_only talus_solver)
talus_example(load_and_step talus ${blocks})
talus_example(contact_forces talus ${blocks})
talus_example(contact_patch talus)
talus_example(own_threads talus ${PROJECT_SOURCE_DIR}/bench/scenes/bin-216.xml)
talus_example(rollouts talus ${blocks})
# this one prints forces and leaves judging to the reader: the ball stands on the floor with its weight
set_tests_properties(examples/load_and_step PROPERTIES PASS_REGULAR_EXPRESSION "ball on world: -?0.000 -?0.000 -29.430 N")
