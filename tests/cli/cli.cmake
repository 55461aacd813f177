# SPDX-License-Identifier: MIT
# Tests of the command, in Python; TALUS_TEST_PYTHON names an interpreter with numpy (h5py and mujoco: more is tested)
if(TALUS_TEST_PYTHON AND TARGET talus_cli)
    foreach(unit frame solve gen run patches bench coin robust)
        add_test(NAME cli/${unit} COMMAND ${TALUS_TEST_PYTHON} -m unittest test_${unit}
            WORKING_DIRECTORY ${CMAKE_CURRENT_LIST_DIR})
        set_tests_properties(cli/${unit} PROPERTIES LABELS cli TIMEOUT 600 ENVIRONMENT
            "TALUS=$<TARGET_FILE:talus_cli>;TALUS_SHARED=${PROJECT_SOURCE_DIR}/../shared;PYTHONDONTWRITEBYTECODE=1;LSAN_OPTIONS=print_suppressions=0:suppressions=${CMAKE_CURRENT_LIST_DIR}/lsan.supp")
    endforeach()
endif()
