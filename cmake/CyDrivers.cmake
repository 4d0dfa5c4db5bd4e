# Drivers and tasks enter the house by one line each:
#
#   cy_add_driver(arcos)        needs  Result<std::unique_ptr<Driver>> make_arcos(DriverConfig const&)
#   cy_add_task(wander)         needs  Result<std::unique_ptr<Task>>   make_wander(TaskConfig const&)
#
# From these lists CMake writes the tables that robot/drivers and robot/tasks look names up in.
function(cy_add_driver name)
  set_property(GLOBAL APPEND PROPERTY CY_DRIVERS ${name})
endfunction()

function(cy_add_task name)
  set_property(GLOBAL APPEND PROPERTY CY_TASKS ${name})
endfunction()

# cy_write_table(<property> <template.in> <output>): fills @CY_DECLARATIONS@ and @CY_ENTRIES@.
function(cy_write_table property type config template output)
  get_property(names GLOBAL PROPERTY ${property})
  set(CY_DECLARATIONS "")
  set(CY_ENTRIES "")
  foreach(name ${names})
    string(APPEND CY_DECLARATIONS "Result<std::unique_ptr<${type}>> make_${name}(${config} const&);\n")
    string(APPEND CY_ENTRIES "    {\"${name}\", make_${name}},\n")
  endforeach()
  configure_file(${template} ${output} @ONLY)
endfunction()
