# A room is a folder: include/cy/<room>/, src/, test/, fuzz/ where it parses, README.md.
#
#   cy_room(wire USES cy::base PACKAGES PkgConfig::SODIUM)
#
# makes the library cy_<room> (alias cy::<room>) from src/*.cpp, the test <room>_test from
# test/*.cpp (label "unit"), and one fuzzer for each fuzz/*_fuzz.cpp. TEST_USES adds what only
# the tests link. Rooms without sources become interface libraries.
include(GoogleTest)
if(CY_TESTS)
  find_package(GTest REQUIRED)
endif()
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

function(cy_room name)
  cmake_parse_arguments(ROOM "" "" "USES;PRIVATE_USES;TEST_USES;FUZZ_USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS src/*.cpp)
  if(sources)
    add_library(cy_${name} STATIC ${sources})
    target_include_directories(cy_${name} PUBLIC include PRIVATE src)
    target_link_libraries(cy_${name} PUBLIC ${ROOM_USES} PRIVATE ${ROOM_PRIVATE_USES})
  else()
    add_library(cy_${name} INTERFACE)
    target_include_directories(cy_${name} INTERFACE include)
    target_link_libraries(cy_${name} INTERFACE ${ROOM_USES})
  endif()
  add_library(cy::${name} ALIAS cy_${name})

  file(GLOB tests CONFIGURE_DEPENDS test/*.cpp)
  if(tests AND CY_TESTS)
    add_executable(${name}_test ${tests})
    target_include_directories(${name}_test PRIVATE src test)
    target_compile_definitions(${name}_test PRIVATE CY_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    target_link_libraries(${name}_test PRIVATE cy::${name} ${ROOM_PRIVATE_USES} ${ROOM_TEST_USES}
                          GTest::gtest GTest::gmock GTest::gtest_main)
    cy_unit_test(${name}_test)
  endif()

  file(GLOB fuzzers CONFIGURE_DEPENDS fuzz/*_fuzz.cpp)
  foreach(source ${fuzzers})
    cy_fuzzer(${source} cy::${name} ${ROOM_PRIVATE_USES} ${ROOM_FUZZ_USES})
  endforeach()
endfunction()

# All cases of a program in one process: starting one for each took longer than the cases themselves.
# GoogleTest leaves them in <build>/test-cases/<program>.xml, where tools/dev/tally.py counts them.
function(cy_unit_test program)
  add_test(NAME ${program} COMMAND ${program})
  set_tests_properties(${program} PROPERTIES
    LABELS unit
    TIMEOUT 120
    ENVIRONMENT "GTEST_OUTPUT=xml:${CMAKE_BINARY_DIR}/test-cases/")
endfunction()

# One fuzzer: built by libFuzzer with CY_FUZZ, else linked with a main that replays files and
# folders, so that the corpus and every named crash run in `./dev test` under g++ as well.
function(cy_fuzzer source)
  get_filename_component(name ${source} NAME_WE)
  get_filename_component(folder ${source} DIRECTORY)
  set(corpus ${folder}/corpus/${name})
  if(CY_FUZZ)
    add_executable(${name} ${source})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    target_link_libraries(${name} PRIVATE ${ARGN})
    set_property(GLOBAL APPEND PROPERTY CY_FUZZERS ${name})
  elseif(CY_TESTS)
    add_executable(${name} ${source} ${CMAKE_SOURCE_DIR}/tools/fuzz/replay_main.cpp)
    target_link_libraries(${name} PRIVATE ${ARGN})
    add_test(NAME ${name}.corpus COMMAND ${name} ${corpus})
    set_tests_properties(${name}.corpus PROPERTIES LABELS fuzz)
  endif()
endfunction()
