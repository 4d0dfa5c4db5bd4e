# A driver or task whose line comes after its table was written: CMake must say so.
#   cmake -D LINE=cy_add_driver -P late_line_test.cmake
include(${CMAKE_CURRENT_LIST_DIR}/../cmake/CyDrivers.cmake)

file(WRITE late_line/table.in "@CY_ENTRIES@")
cy_write_table(CY_DRIVERS Driver DriverConfig late_line/table.in late_line/table)
cy_write_table(CY_TASKS Task TaskConfig late_line/table.in late_line/table)
cmake_language(CALL ${LINE} late)
