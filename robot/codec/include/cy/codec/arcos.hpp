// The ARCOS protocol of the Pioneer robots (its elders P2OS and AROS included), as bytes and values.
//
// Values stay in the controller's units: what they mean in metres depends on the robot and is the
// driver's business. Everything is bounded by the bytes at hand; any bytes are safe to decode.
#pragma once

#include <cy/codec/arcos_command.hpp>
#include <cy/codec/arcos_frame.hpp>
#include <cy/codec/arcos_report.hpp>
