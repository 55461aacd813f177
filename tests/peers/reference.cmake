# SPDX-License-Identifier: MIT
# Factorization counts beside the specification of the iteration, which lives outside; without it the test is skipped.
if(TALUS_TEST_PYTHON AND TARGET talus_cli)
    add_test(NAME peers/reference COMMAND ${TALUS_TEST_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/test_reference.py
        $<TARGET_FILE:talus_cli> ${PROJECT_SOURCE_DIR}/../shared/reference)
    set_tests_properties(peers/reference PROPERTIES LABELS peers SKIP_RETURN_CODE 77 TIMEOUT 1800
        ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1")
endif()
