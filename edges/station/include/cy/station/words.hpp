// What became of a command, for the person who gave it: what was refused, and what to do.
#pragma once

#include <cy/command/lane.hpp>
#include <cy/model/control.hpp>
#include <cy/station/messages.hpp>

namespace cy::station {

// "Control", "Arming": what a person calls the command.
std::string_view words_of(wire::Type command);

// `control`: the robot's newest state, or null. Empty when it was applied.
std::string words_for(wire::Type command, command::Ended const& ended, ControlState const* control,
                      AgentLink link);

}  // namespace cy::station
