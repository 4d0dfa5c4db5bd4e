// Made by tools/wire_ts from the C++ field lists; do not edit.
// To make it again: cmake --build build/dev --target wire_ts_update
import {
  type Body, array, body, bool, bytes, f32, f64, i8, i16, i32, i64, message, optional, struct, text, u8, u16,
  u32, u64, vector,
} from "./codec.js";

export interface SetPoint {
  id: bigint;
  resource: number;
  person: number;
  lease: number;
  /** µs */ echo_us: number;
  picture: number;
  /** ms */ lifetime_ms: number;
  what: Body;
}
export const SetPoint = /* @__PURE__ */ message<SetPoint>(0x0101, "command", "set_point", {
  id: u64,
  resource: u16,
  person: u16,
  lease: u32,
  echo_us: u32,
  picture: u32,
  lifetime_ms: u16,
  what: body,
});

export interface Event {
  id: bigint;
  resource: number;
  person: number;
  lease: number;
  attempt: number;
  /** ms */ deadline_ms: number;
  what: Body;
  heard: bigint;
}
export const Event = /* @__PURE__ */ message<Event>(0x0102, "command", "event", {
  id: u64,
  resource: u16,
  person: u16,
  lease: u32,
  attempt: u16,
  deadline_ms: u32,
  what: body,
  heard: u64,
});

export type Ending = number;
export const Ending = {
  applied: 0,
  refused: 1,
  expired_unsent: 2,
  expired_maybe_applied: 3,
  superseded: 4,
} as const;
export const EndingNames: readonly string[] = ["applied", "refused", "expired unsent", "expired, maybe applied", "superseded"];

export type Refusal = number;
export const Refusal = {
  none: 0,
  not_ready: 1,
  not_armed: 2,
  no_lease: 3,
  role: 4,
  stop_latched: 5,
  limits: 6,
  not_finite: 7,
  stale_data: 8,
  too_old: 9,
  blocked: 10,
  unknown_robot: 11,
  unknown_command: 12,
  bad_value: 13,
  busy: 14,
  link_lost: 15,
  policy: 16,
  full: 17,
} as const;
export const RefusalNames: readonly string[] = ["none", "not ready", "not armed", "no lease", "role", "stop latched", "limits", "not finite", "stale data", "too old", "blocked", "unknown robot", "unknown command", "bad value", "busy", "link lost", "policy", "full"];

export interface Report {
  id: bigint;
  ending: Ending;
  why: Refusal;
  reply: Body | null;
}
export const Report = /* @__PURE__ */ message<Report>(0x0103, "report", "report", {
  id: u64,
  ending: u8,
  why: u8,
  reply: optional(body),
});

export interface SetPointReport {
  resource: number;
  seen: bigint;
  why: Refusal;
  /** µs */ age_us: number;
}
export const SetPointReport = /* @__PURE__ */ message<SetPointReport>(0x0104, "report", "set_point_report", {
  resource: u16,
  seen: u64,
  why: u8,
  age_us: u32,
});

export type DevicePhase = number;
export const DevicePhase = {
  closed: 0,
  opening: 1,
  greeting: 2,
  configuring: 3,
  ready: 4,
  closing: 5,
  waiting: 6,
} as const;
export const DevicePhaseNames: readonly string[] = ["closed", "opening", "greeting", "configuring", "ready", "closing", "waiting"];

export interface Counter {
  reason: string;
  count: bigint;
}
export const Counter = /* @__PURE__ */ struct<Counter>({
  reason: text,
  count: u64,
});

export interface DeviceState {
  device: number;
  phase: DevicePhase;
  step: string;
  trouble: string;
  attempt: number;
  /** s */ watchdog: number;
  counters: Counter[];
}
export const DeviceState = /* @__PURE__ */ message<DeviceState>(0x0201, "status", "device_state", {
  device: u16,
  phase: u8,
  step: text,
  trouble: text,
  attempt: u32,
  watchdog: f64,
  counters: vector(Counter),
});

export interface Footprint {
  /** m */ front: number;
  /** m */ rear: number;
  /** m */ half_width: number;
  /** m */ radius: number;
}
export const Footprint = /* @__PURE__ */ struct<Footprint>({
  front: f64,
  rear: f64,
  half_width: f64,
  radius: f64,
});

export interface BaseLimits {
  /** m/s */ linear: number;
  /** rad/s */ angular: number;
  /** m/s² */ linear_acceleration: number;
  /** m/s² */ linear_deceleration: number;
  /** rad/s² */ angular_acceleration: number;
  /** rad/s² */ angular_deceleration: number;
}
export const BaseLimits = /* @__PURE__ */ struct<BaseLimits>({
  linear: f64,
  angular: f64,
  linear_acceleration: f64,
  linear_deceleration: f64,
  angular_acceleration: f64,
  angular_deceleration: f64,
});

export type PartKind = number;
export const PartKind = {
  base: 0,
  arm: 1,
  gripper: 2,
  head: 3,
  sonar: 4,
  bumper: 5,
  compass: 6,
  gyro: 7,
  power: 8,
  io: 9,
  jobs: 10,
  axes: 11,
  process: 12,
  camera: 13,
  alarms: 14,
  encoder: 15,
  channel: 16,
} as const;
export const PartKindNames: readonly string[] = ["base", "arm", "gripper", "head", "sonar", "bumper", "compass", "gyro", "power", "io", "jobs", "axes", "process", "camera", "alarms", "encoder", "channel"];

export interface Mount {
  /** m */ x: number;
  /** m */ y: number;
  /** m */ z: number;
  /** rad */ roll: number;
  /** rad */ pitch: number;
  /** rad */ yaw: number;
}
export const Mount = /* @__PURE__ */ struct<Mount>({
  x: f64,
  y: f64,
  z: f64,
  roll: f64,
  pitch: f64,
  yaw: f64,
});

export interface PartInfo {
  id: number;
  kind: PartKind;
  name: string;
  mount: Mount;
  elements: Mount[];
  /** m */ range_max: number;
}
export const PartInfo = /* @__PURE__ */ struct<PartInfo>({
  id: u16,
  kind: u8,
  name: text,
  mount: Mount,
  elements: vector(Mount),
  range_max: f64,
});

export interface RobotInfo {
  id: number;
  device: number;
  name: string;
  kind: string;
  model: string;
  serial: string;
  footprint: Footprint;
  limits: BaseLimits;
  parts: PartInfo[];
}
export const RobotInfo = /* @__PURE__ */ struct<RobotInfo>({
  id: u16,
  device: u16,
  name: text,
  kind: text,
  model: text,
  serial: text,
  footprint: Footprint,
  limits: BaseLimits,
  parts: vector(PartInfo),
});

export interface Inventory {
  revision: number;
  robots: RobotInfo[];
  devices: DeviceState[];
}
export const Inventory = /* @__PURE__ */ message<Inventory>(0x0202, "report", "inventory", {
  revision: u32,
  robots: vector(RobotInfo),
  devices: vector(DeviceState),
});

export type Describe = Record<string, never>;
export const Describe = /* @__PURE__ */ message<Describe>(0x0203, "command", "describe", {});

export interface AgentPulse {
  name: string;
  inventory_revision: number;
  /** µs */ clock_us: number;
  sessions: number;
  /** s */ uptime: number;
  black_box: boolean;
  drops: Counter[];
}
export const AgentPulse = /* @__PURE__ */ message<AgentPulse>(0x0204, "status", "agent_pulse", {
  name: text,
  inventory_revision: u32,
  clock_us: u32,
  sessions: u32,
  uptime: f64,
  black_box: bool,
  drops: vector(Counter),
});

export interface Pose2 {
  /** m */ x: number;
  /** m */ y: number;
  /** rad */ yaw: number;
}
export const Pose2 = /* @__PURE__ */ struct<Pose2>({
  x: f64,
  y: f64,
  yaw: f64,
});

export interface Twist {
  /** m/s */ linear: number;
  /** rad/s */ angular: number;
}
export const Twist = /* @__PURE__ */ struct<Twist>({
  linear: f64,
  angular: f64,
});

export interface BaseState {
  pose: Pose2;
  odometry_epoch: number;
  twist: Twist;
  /** m/s */ wheel_left: number;
  /** m/s */ wheel_right: number;
  motors: boolean;
  moving: boolean;
  stall_left: boolean;
  stall_right: boolean;
  stop_button: boolean;
}
export const BaseState = /* @__PURE__ */ message<BaseState>(0x0210, "status", "base_state", {
  pose: Pose2,
  odometry_epoch: u32,
  twist: Twist,
  wheel_left: f64,
  wheel_right: f64,
  motors: bool,
  moving: bool,
  stall_left: bool,
  stall_right: bool,
  stop_button: bool,
});

export interface SonarDisc {
  /** m */ range: number;
  /** ms */ age_ms: number;
  heard: boolean;
}
export const SonarDisc = /* @__PURE__ */ struct<SonarDisc>({
  range: f32,
  age_ms: u32,
  heard: bool,
});

export interface SonarState {
  enabled: boolean;
  silent: boolean;
  discs: SonarDisc[];
}
export const SonarState = /* @__PURE__ */ message<SonarState>(0x0211, "status", "sonar_state", {
  enabled: bool,
  silent: bool,
  discs: vector(SonarDisc),
});

export interface BumperState {
  pressed: number;
}
export const BumperState = /* @__PURE__ */ message<BumperState>(0x0212, "status", "bumper_state", {
  pressed: u32,
});

export interface CompassState {
  /** rad */ heading: number;
}
export const CompassState = /* @__PURE__ */ message<CompassState>(0x0213, "status", "compass_state", {
  heading: f64,
});

export interface GyroState {
  /** rad/s */ rate: number;
  /** °C */ temperature: number | null;
}
export const GyroState = /* @__PURE__ */ message<GyroState>(0x0214, "status", "gyro_state", {
  rate: f64,
  temperature: optional(f64),
});

export type Charge = number;
export const Charge = {
  unknown: 0,
  not_charging: 1,
  bulk: 2,
  overcharge: 3,
  float: 4,
  balance: 5,
} as const;
export const ChargeNames: readonly string[] = ["unknown", "not charging", "bulk", "overcharge", "float", "balance"];

export interface PowerState {
  /** V */ voltage: number | null;
  fraction: number | null;
  charge: Charge;
  low: boolean;
  /** °C */ temperature: number | null;
}
export const PowerState = /* @__PURE__ */ message<PowerState>(0x0215, "status", "power_state", {
  voltage: optional(f64),
  fraction: optional(f64),
  charge: u8,
  low: bool,
  temperature: optional(f64),
});

export interface IoState {
  inputs: Uint8Array;
  outputs: Uint8Array;
  /** V */ analog: number[];
}
export const IoState = /* @__PURE__ */ message<IoState>(0x0216, "status", "io_state", {
  inputs: bytes,
  outputs: bytes,
  analog: vector(f32),
});

export interface EncoderState {
  left: bigint;
  right: bigint;
}
export const EncoderState = /* @__PURE__ */ message<EncoderState>(0x0217, "status", "encoder_state", {
  left: i64,
  right: i64,
});

export interface ArmState {
  /** rad */ joints: number[];
  powered: boolean;
  moving: boolean;
}
export const ArmState = /* @__PURE__ */ message<ArmState>(0x0218, "status", "arm_state", {
  joints: vector(f64),
  powered: bool,
  moving: bool,
});

export interface GripperState {
  opening: number | null;
  moving: boolean;
  holding: boolean;
  fault: boolean;
}
export const GripperState = /* @__PURE__ */ message<GripperState>(0x0219, "status", "gripper_state", {
  opening: optional(f64),
  moving: bool,
  holding: bool,
  fault: bool,
});

export interface HeadState {
  /** rad */ pan: number;
  /** rad */ tilt: number;
  zoom: number;
}
export const HeadState = /* @__PURE__ */ message<HeadState>(0x021a, "status", "head_state", {
  pan: f64,
  tilt: f64,
  zoom: f64,
}, { zoom: 1 });

export type Origin = number;
export const Origin = {
  measured: 0,
  estimated: 1,
  commanded: 2,
} as const;
export const OriginNames: readonly string[] = ["measured", "estimated", "commanded"];

export interface PartReading {
  part: number;
  origin: Origin;
  /** ms */ age_ms: number;
  state: Body;
}
export const PartReading = /* @__PURE__ */ struct<PartReading>({
  part: u16,
  origin: u8,
  age_ms: u32,
  state: body,
});

export interface RobotStatus {
  robot: number;
  number: number;
  /** µs */ stamp_us: number;
  parts: PartReading[];
}
export const RobotStatus = /* @__PURE__ */ message<RobotStatus>(0x0220, "status", "robot_status", {
  robot: u16,
  number: u32,
  stamp_us: u32,
  parts: vector(PartReading),
});

export interface Drive {
  twist: Twist;
}
export const Drive = /* @__PURE__ */ message<Drive>(0x0240, "command", "drive", {
  twist: Twist,
});

export interface Motors {
  on: boolean;
}
export const Motors = /* @__PURE__ */ message<Motors>(0x0241, "command", "motors", {
  on: bool,
});

export interface SonarPower {
  on: boolean;
}
export const SonarPower = /* @__PURE__ */ message<SonarPower>(0x0242, "command", "sonar_power", {
  on: bool,
});

export type ResetOdometry = Record<string, never>;
export const ResetOdometry = /* @__PURE__ */ message<ResetOdometry>(0x0243, "command", "reset_odometry", {});

export interface DigitalOut {
  mask: number;
  states: number;
}
export const DigitalOut = /* @__PURE__ */ message<DigitalOut>(0x0244, "command", "digital_out", {
  mask: u8,
  states: u8,
});

export interface Probe {
  filling: Uint8Array;
}
export const Probe = /* @__PURE__ */ message<Probe>(0x0245, "command", "probe", {
  filling: bytes,
});

export type Role = number;
export const Role = {
  observer: 0,
  operator: 1,
  editor: 2,
  manager: 3,
} as const;
export const RoleNames: readonly string[] = ["observer", "operator", "editor", "manager"];

export interface Introduce {
  person: number;
  name: string;
  role: Role;
}
export const Introduce = /* @__PURE__ */ message<Introduce>(0x2000, "command", "introduce", {
  person: u16,
  name: text,
  role: u8,
});

export interface Dismiss {
  person: number;
}
export const Dismiss = /* @__PURE__ */ message<Dismiss>(0x2001, "command", "dismiss", {
  person: u16,
});

export interface RequestLease {
  takeover: boolean;
  why: string;
}
export const RequestLease = /* @__PURE__ */ message<RequestLease>(0x2010, "command", "request_lease", {
  takeover: bool,
  why: text,
});

export interface LeaseGranted {
  lease: number;
  superseded: number;
}
export const LeaseGranted = /* @__PURE__ */ message<LeaseGranted>(0x2011, "report", "lease_granted", {
  lease: u32,
  superseded: u32,
});

export type ReleaseLease = Record<string, never>;
export const ReleaseLease = /* @__PURE__ */ message<ReleaseLease>(0x2012, "command", "release_lease", {});

export interface GrantLease {
  station: number;
  person: number;
}
export const GrantLease = /* @__PURE__ */ message<GrantLease>(0x2013, "command", "grant_lease", {
  station: u32,
  person: u16,
});

export interface Arm {
  revision: number;
}
export const Arm = /* @__PURE__ */ message<Arm>(0x2020, "command", "arm", {
  revision: u32,
});

export type DisarmReason = number;
export const DisarmReason = {
  none: 0,
  just_started: 1,
  disarmed_by_a_person: 2,
  stopped: 3,
  set_points_stale: 4,
  focus_lost: 5,
  page_hidden: 6,
  gamepad_lost: 7,
  link_lost: 8,
  link_gone: 9,
  lease_lost: 10,
  role: 11,
  robots_data_stale: 12,
  device_not_ready: 13,
  motors_off: 14,
  stall: 15,
  bumper: 16,
  stop_button_on_the_robot: 17,
  task: 18,
  task_ended: 19,
  policy_on_a_lost_link: 20,
  internal_fault: 21,
} as const;
export const DisarmReasonNames: readonly string[] = ["none", "just started", "disarmed by a person", "stopped", "set-points stale", "focus lost", "page hidden", "gamepad lost", "link lost", "link gone", "lease lost", "role", "robot's data stale", "device not ready", "motors off", "stall", "bumper", "stop button on the robot", "task", "task ended", "policy on a lost link", "internal fault"];

export interface Disarm {
  reason: DisarmReason;
  why: string;
}
export const Disarm = /* @__PURE__ */ message<Disarm>(0x2021, "command", "disarm", {
  reason: u8,
  why: text,
});

export type StopKind = number;
export const StopKind = {
  category_0: 0,
  category_1: 1,
  category_2: 2,
} as const;
export const StopKindNames: readonly string[] = ["category 0", "category 1", "category 2"];

export interface Stop {
  kind: StopKind;
  why: string;
}
export const Stop = /* @__PURE__ */ message<Stop>(0x2022, "command", "stop", {
  kind: u8,
  why: text,
}, { kind: 2 });

export interface ReleaseStop {
  revision: number;
}
export const ReleaseStop = /* @__PURE__ */ message<ReleaseStop>(0x2023, "command", "release_stop", {
  revision: u32,
});

export type Mode = number;
export const Mode = {
  disarmed: 0,
  armed: 1,
  driving: 2,
  stopping: 3,
  stopped: 4,
  task: 5,
  policy: 6,
} as const;
export const ModeNames: readonly string[] = ["disarmed", "armed", "driving", "stopping", "stopped", "task", "policy"];

export interface Wish {
  station: number;
  person: number;
  name: string;
  role: Role;
  why: string;
}
export const Wish = /* @__PURE__ */ struct<Wish>({
  station: u32,
  person: u16,
  name: text,
  role: u8,
  why: text,
});

export type CapReason = number;
export const CapReason = {
  none: 0,
  robot_limits: 1,
  loop_age: 2,
  obstacle: 3,
  link_late: 4,
  robots_data_stale: 5,
  configured: 6,
  stop: 7,
  sonar_silent: 8,
} as const;
export const CapReasonNames: readonly string[] = ["none", "robot limits", "loop age", "obstacle", "link late", "robot's data stale", "configured", "stop", "sonar silent"];

export interface ControlState {
  resource: number;
  revision: number;
  mode: Mode;
  reason: DisarmReason;
  why: string;
  stop_latched: boolean;
  stop_confirmed: boolean;
  stop_kind: StopKind;
  stopped_by: string;
  lease: number;
  holder_station: number;
  holder_person: number;
  holder_name: string;
  holder_role: Role;
  wishes: Wish[];
  permitted: Twist;
  /** m/s */ cap_linear: number;
  /** rad/s */ cap_angular: number;
  cap_reason: CapReason;
  /** m */ guard_distance: number;
  /** µs */ loop_age_us: number;
  /** ms */ lifetime_ms: number;
  neutral_seen: boolean;
}
export const ControlState = /* @__PURE__ */ message<ControlState>(0x2030, "status", "control_state", {
  resource: u16,
  revision: u32,
  mode: u8,
  reason: u8,
  why: text,
  stop_latched: bool,
  stop_confirmed: bool,
  stop_kind: u8,
  stopped_by: text,
  lease: u32,
  holder_station: u32,
  holder_person: u16,
  holder_name: text,
  holder_role: u8,
  wishes: vector(Wish),
  permitted: Twist,
  cap_linear: f64,
  cap_angular: f64,
  cap_reason: u8,
  guard_distance: f64,
  loop_age_us: u32,
  lifetime_ms: u16,
  neutral_seen: bool,
});

export interface Setting {
  key: string;
  value: string;
}
export const Setting = /* @__PURE__ */ struct<Setting>({
  key: text,
  value: text,
});

export interface StartTask {
  name: string;
  settings: Setting[];
}
export const StartTask = /* @__PURE__ */ message<StartTask>(0x2040, "command", "start_task", {
  name: text,
  settings: vector(Setting),
});

export type StopTask = Record<string, never>;
export const StopTask = /* @__PURE__ */ message<StopTask>(0x2041, "command", "stop_task", {});

export type TaskPhase = number;
export const TaskPhase = {
  none: 0,
  running: 1,
  finished: 2,
  failed: 3,
  cancelled: 4,
} as const;
export const TaskPhaseNames: readonly string[] = ["none", "running", "finished", "failed", "cancelled"];

export interface TaskState {
  resource: number;
  name: string;
  phase: TaskPhase;
  progress: string;
  fraction: number;
  available: string[];
  run: number;
}
export const TaskState = /* @__PURE__ */ message<TaskState>(0x2042, "status", "task_state", {
  resource: u16,
  name: text,
  phase: u8,
  progress: text,
  fraction: f64,
  available: vector(text),
  run: u32,
}, { fraction: -1 });

export type CaptureKind = number;
export const CaptureKind = {
  unknown: 0,
  device: 1,
  file: 2,
  test: 3,
  world: 4,
} as const;
export const CaptureKindNames: readonly string[] = ["unknown", "device", "file", "test", "world"];

export interface StreamInfo {
  stream: number;
  name: string;
  robot: number;
  codec: string;
  codec_string: string;
  /** px */ width: number;
  /** px */ height: number;
  /** Hz */ fps: number;
  /** bit/s */ bitrate: number;
  running: boolean;
  trouble: string;
  capture: CaptureKind;
  encoder: string;
}
export const StreamInfo = /* @__PURE__ */ message<StreamInfo>(0x1001, "report", "stream_info", {
  stream: u16,
  name: text,
  robot: u16,
  codec: text,
  codec_string: text,
  width: u16,
  height: u16,
  fps: f64,
  bitrate: u32,
  running: bool,
  trouble: text,
  capture: u8,
  encoder: text,
});

export interface CodedFrame {
  stream: number;
  number: number;
  /** ns */ captured: bigint;
  /** ns */ encoded: bigint;
  key: boolean;
  codec: string;
  data: Uint8Array;
}
export const CodedFrame = /* @__PURE__ */ message<CodedFrame>(0x1002, "video", "coded_frame", {
  stream: u16,
  number: u32,
  captured: i64,
  encoded: i64,
  key: bool,
  codec: text,
  data: bytes,
});

export interface VideoBlock {
  stream: number;
  frame: number;
  block: number;
  blocks: number;
  /** µs */ capture_us: number;
  key: boolean;
  /** B */ size: number;
  data: Uint8Array;
}
export const VideoBlock = /* @__PURE__ */ message<VideoBlock>(0x1003, "video", "video_block", {
  stream: u16,
  frame: u32,
  block: u16,
  blocks: u16,
  capture_us: u32,
  key: bool,
  size: u32,
  data: bytes,
});

export interface Picture {
  stream: number;
  number: number;
  /** µs */ capture_us: number;
  /** µs */ age_us: number;
  key: boolean;
  clean: boolean;
  codec_string: string;
  data: Uint8Array;
}
export const Picture = /* @__PURE__ */ message<Picture>(0x1004, "video", "picture", {
  stream: u16,
  number: u32,
  capture_us: u32,
  age_us: u32,
  key: bool,
  clean: bool,
  codec_string: text,
  data: bytes,
});

export interface KeyframeWanted {
  stream: number;
  newest_good: number;
  none: boolean;
}
export const KeyframeWanted = /* @__PURE__ */ message<KeyframeWanted>(0x1005, "report", "keyframe_wanted", {
  stream: u16,
  newest_good: u32,
  none: bool,
});

export interface QualityOrder {
  stream: number;
  /** bit/s */ bitrate: number | null;
  /** Hz */ fps: number | null;
  /** px */ width: number | null;
  /** px */ height: number | null;
  codec: string | null;
}
export const QualityOrder = /* @__PURE__ */ message<QualityOrder>(0x1006, "report", "quality_order", {
  stream: u16,
  bitrate: optional(u32),
  fps: optional(f64),
  width: optional(u16),
  height: optional(u16),
  codec: optional(text),
});

export interface Subscribe {
  stream: number;
  on: boolean;
}
export const Subscribe = /* @__PURE__ */ message<Subscribe>(0x1007, "report", "subscribe", {
  stream: u16,
  on: bool,
});

export interface ReceiverReport {
  stream: number;
  number: number;
  /** ns */ span: bigint;
  highest: number;
  frames_complete: number;
  frames_late: number;
  frames_dropped: number;
  frames_unclean: number;
  blocks_received: number;
  blocks_lost: number;
  blocks_duplicate: number;
  /** B */ bytes: bigint;
  /** ns */ delay_mean: bigint;
  /** ns */ delay_max: bigint;
  delay_growth: number;
  /** ns */ jitter: bigint;
  parity_received: number;
  blocks_restored: number;
  /** ns */ round_trip: bigint;
  loss_bursts: number;
}
export const ReceiverReport = /* @__PURE__ */ message<ReceiverReport>(0x1008, "report", "receiver_report", {
  stream: u16,
  number: u32,
  span: i64,
  highest: u32,
  frames_complete: u32,
  frames_late: u32,
  frames_dropped: u32,
  frames_unclean: u32,
  blocks_received: u32,
  blocks_lost: u32,
  blocks_duplicate: u32,
  bytes: u64,
  delay_mean: i64,
  delay_max: i64,
  delay_growth: f64,
  jitter: i64,
  parity_received: u32,
  blocks_restored: u32,
  round_trip: i64,
  loss_bursts: u32,
});

export interface BlocksWanted {
  stream: number;
  frame: number;
  missing: number;
  ask: number;
}
export const BlocksWanted = /* @__PURE__ */ message<BlocksWanted>(0x1009, "report", "blocks_wanted", {
  stream: u16,
  frame: u32,
  missing: u16,
  ask: u8,
});

export interface PageHello {
  version: number;
  person: string;
  language: string;
  resume: string;
}
export const PageHello = /* @__PURE__ */ message<PageHello>(0x3000, "hello", "page_hello", {
  version: u16,
  person: text,
  language: text,
  resume: text,
}, { version: 1 });

export interface PageDrive {
  robot: number;
  twist: Twist;
  /** ms */ age_ms: number;
  /** µs */ echo_us: number;
  picture: number;
  /** µs */ picture_stamp: number;
  number: number;
}
export const PageDrive = /* @__PURE__ */ message<PageDrive>(0x3001, "command", "page_drive", {
  robot: u16,
  twist: Twist,
  age_ms: f32,
  echo_us: u32,
  picture: u32,
  picture_stamp: u32,
  number: u32,
});

export interface PageCommand {
  token: number;
  robot: number;
  what: Body;
}
export const PageCommand = /* @__PURE__ */ message<PageCommand>(0x3002, "command", "page_command", {
  token: u32,
  robot: u16,
  what: body,
});

export interface PageView {
  streams: number[];
  hidden: boolean;
  keyframes: number[];
}
export const PageView = /* @__PURE__ */ message<PageView>(0x3003, "command", "page_view", {
  streams: vector(u16),
  hidden: bool,
  keyframes: vector(u16),
});

export interface PagePing {
  /** ms */ stamp: number;
}
export const PagePing = /* @__PURE__ */ message<PagePing>(0x3004, "heartbeat", "page_ping", {
  stamp: f64,
});

export interface PageShown {
  stream: number;
  number: number;
  /** ms */ age_ms: number;
  /** ms */ decode_ms: number;
}
export const PageShown = /* @__PURE__ */ message<PageShown>(0x3005, "report", "page_shown", {
  stream: u16,
  number: u32,
  age_ms: f32,
  decode_ms: f32,
});

export interface StationHello {
  version: number;
  viewer: number;
  person: number;
  name: string;
  software: string;
  resume: string;
  /** ms */ drive_lifetime_ms: number;
  /** ms */ drive_period_ms: number;
}
export const StationHello = /* @__PURE__ */ message<StationHello>(0x3020, "hello", "station_hello", {
  version: u16,
  viewer: u32,
  person: u16,
  name: text,
  software: text,
  resume: text,
  drive_lifetime_ms: f32,
  drive_period_ms: f32,
}, { version: 1 });

export type AgentLink = number;
export const AgentLink = {
  searching: 0,
  up: 1,
  late: 2,
  lost: 3,
  gone: 4,
} as const;
export const AgentLinkNames: readonly string[] = ["searching", "up", "late", "lost", "gone"];

export interface LinkReport {
  state: AgentLink;
  why: string;
  address: string;
  /** ms */ rtt_ms: number;
  /** ms */ jitter_ms: number;
  loss: number;
  /** ms */ loop_ms: number | null;
  /** µs */ agent_clock_us: number;
  /** B/s */ in_rate: number;
  /** B/s */ out_rate: number;
  counters: Counter[];
  session: number;
}
export const LinkReport = /* @__PURE__ */ message<LinkReport>(0x3021, "status", "link_report", {
  state: u8,
  why: text,
  address: text,
  rtt_ms: f32,
  jitter_ms: f32,
  loss: f32,
  loop_ms: optional(f32),
  agent_clock_us: u32,
  in_rate: f32,
  out_rate: f32,
  counters: vector(Counter),
  session: u32,
});

export interface PageEnded {
  token: number;
  ending: Ending;
  refusal: Refusal;
  text: string;
}
export const PageEnded = /* @__PURE__ */ message<PageEnded>(0x3022, "report", "page_ended", {
  token: u32,
  ending: u8,
  refusal: u8,
  text: text,
});

export interface PagePong {
  /** ms */ stamp: number;
  /** µs */ agent_clock_us: number;
  /** µs */ echo_us: number;
}
export const PagePong = /* @__PURE__ */ message<PagePong>(0x3023, "heartbeat", "page_pong", {
  stamp: f64,
  agent_clock_us: u32,
  echo_us: u32,
});

export interface Viewer {
  viewer: number;
  person: string;
  hidden: boolean;
}
export const Viewer = /* @__PURE__ */ struct<Viewer>({
  viewer: u32,
  person: text,
  hidden: bool,
});

export interface Viewers {
  viewers: Viewer[];
  driver: string;
}
export const Viewers = /* @__PURE__ */ message<Viewers>(0x3024, "status", "viewers", {
  viewers: vector(Viewer),
  driver: text,
});

export interface Holding {
  robot: number;
  holds: boolean;
}
export const Holding = /* @__PURE__ */ message<Holding>(0x3026, "status", "holding", {
  robot: u16,
  holds: bool,
});

export type NoticeLevel = number;
export const NoticeLevel = {
  info: 0,
  warning: 1,
  error: 2,
} as const;
export const NoticeLevelNames: readonly string[] = ["info", "warning", "error"];

export interface Notice {
  level: NoticeLevel;
  text: string;
}
export const Notice = /* @__PURE__ */ message<Notice>(0x3025, "report", "notice", {
  level: u8,
  text: text,
});

export const messages = [
  SetPoint,
  Event,
  Report,
  SetPointReport,
  DeviceState,
  Inventory,
  Describe,
  AgentPulse,
  BaseState,
  SonarState,
  BumperState,
  CompassState,
  GyroState,
  PowerState,
  IoState,
  EncoderState,
  ArmState,
  GripperState,
  HeadState,
  RobotStatus,
  Drive,
  Motors,
  SonarPower,
  ResetOdometry,
  DigitalOut,
  Probe,
  Introduce,
  Dismiss,
  RequestLease,
  LeaseGranted,
  ReleaseLease,
  GrantLease,
  Arm,
  Disarm,
  Stop,
  ReleaseStop,
  ControlState,
  StartTask,
  StopTask,
  TaskState,
  StreamInfo,
  CodedFrame,
  VideoBlock,
  Picture,
  KeyframeWanted,
  QualityOrder,
  Subscribe,
  ReceiverReport,
  BlocksWanted,
  PageHello,
  PageDrive,
  PageCommand,
  PageView,
  PagePing,
  PageShown,
  StationHello,
  LinkReport,
  PageEnded,
  PagePong,
  Viewers,
  Holding,
  Notice,
] as const;
