# SPDX-License-Identifier: MIT
# Comparisons with other programs, in Python; those whose packages are missing skip themselves.
if(TALUS_TEST_PYTHON)
    add_executable(talus_dump_model ${CMAKE_CURRENT_LIST_DIR}/dump_model.c)
    target_link_libraries(talus_dump_model PRIVATE talus_internal)
    add_test(NAME peers/mujoco COMMAND ${TALUS_TEST_PYTHON} -m unittest test_mujoco
        WORKING_DIRECTORY ${CMAKE_CURRENT_LIST_DIR})
    set_tests_properties(peers/mujoco PROPERTIES LABELS peers TIMEOUT 1200 ENVIRONMENT
        "TALUS_DUMP=$<TARGET_FILE:talus_dump_model>;TALUS_SHARED=${PROJECT_SOURCE_DIR}/../shared;PYTHONDONTWRITEBYTECODE=1")
endif()
if(TALUS_TEST_PYTHON AND TARGET talus_cli)
    add_test(NAME peers/commands COMMAND ${TALUS_TEST_PYTHON} -m unittest test_commands
        WORKING_DIRECTORY ${CMAKE_CURRENT_LIST_DIR})
    set_tests_properties(peers/commands PROPERTIES LABELS peers TIMEOUT 600 ENVIRONMENT
        "TALUS=$<TARGET_FILE:talus_cli>;TALUS_SHARED=${PROJECT_SOURCE_DIR}/../shared;PYTHONDONTWRITEBYTECODE=1")
endif()
if(TALUS_TEST_PYTHON AND TARGET talus_cli)
    add_test(NAME peers/hfield COMMAND ${TALUS_TEST_PYTHON} -m unittest test_hfield
        WORKING_DIRECTORY ${CMAKE_CURRENT_LIST_DIR})
    set_tests_properties(peers/hfield PROPERTIES LABELS peers TIMEOUT 600 ENVIRONMENT
        "TALUS=$<TARGET_FILE:talus_cli>;PYTHONDONTWRITEBYTECODE=1")
endif()
if(TALUS_TEST_PYTHON)
    add_executable(talus_dump_mesh ${CMAKE_CURRENT_LIST_DIR}/dump_mesh.c)
    target_link_libraries(talus_dump_mesh PRIVATE talus_internal)
    add_test(NAME peers/meshio COMMAND ${TALUS_TEST_PYTHON} -m unittest test_meshio
        WORKING_DIRECTORY ${CMAKE_CURRENT_LIST_DIR})
    set_tests_properties(peers/meshio PROPERTIES LABELS peers TIMEOUT 600 ENVIRONMENT
        "TALUS_DUMP_MESH=$<TARGET_FILE:talus_dump_mesh>;PYTHONDONTWRITEBYTECODE=1")
endif()
