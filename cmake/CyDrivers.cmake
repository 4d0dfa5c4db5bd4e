# Drivers and tasks enter the house by one line each:
#
#   cy_add_driver(arcos)        needs  Result<std::unique_ptr<Driver>> make_arcos(DriverConfig const&)
#   cy_add_task(wander)         needs  Result<std::unique_ptr<Task>>   make_wander(TaskConfig const&)
#
# From these lists CMake writes the tables that robot/drivers and robot/tasks look names up in.
function(cy_add_driver name)
  cy_enter(CY_DRIVERS ${name} "cy_add_driver(${name})")
endfunction()

function(cy_add_task name)
  cy_enter(CY_TASKS ${name} "cy_add_task(${name})")
endfunction()

function(cy_enter property name line)
  get_property(written GLOBAL PROPERTY ${property}_WRITTEN)
  if(written)
    message(FATAL_ERROR "${line} comes after cy_write_table(${property} ...), so the table would lack it: "
                        "move the line above that call.")
  endif()
  set_property(GLOBAL APPEND PROPERTY ${property} ${name})
endfunction()

# cy_write_table(<property> <type> <config> <template.in> <output>): fills @CY_DECLARATIONS@ and
# @CY_ENTRIES@ with what has been entered by then.
function(cy_write_table property type config template output)
  set_property(GLOBAL PROPERTY ${property}_WRITTEN TRUE)
  get_property(names GLOBAL PROPERTY ${property})
  set(CY_DECLARATIONS "")
  set(CY_ENTRIES "")
  foreach(name ${names})
    string(APPEND CY_DECLARATIONS "Result<std::unique_ptr<${type}>> make_${name}(${config} const&);\n")
    string(APPEND CY_ENTRIES "    {\"${name}\", make_${name}},\n")
  endforeach()
  configure_file(${template} ${output} @ONLY)
endfunction()
