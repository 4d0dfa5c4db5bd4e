// Runs in the page before its scripts: a gamepad whose hand trembles as a real one does, since a
// deflected stick that says nothing new is taken for one out of range.
export function fakePad() {
  const pad = { id: "Fake pad (STANDARD GAMEPAD)", index: 0, connected: true, mapping: "standard", timestamp: 1, axes: [0, 0, 0, 0], buttons: [] };
  let plugged = false;
  let frozen = false;
  for (let i = 0; i < 17; ++i) pad.buttons.push({ pressed: false, touched: false, value: 0 });
  navigator.getGamepads = () => {
    if (plugged && !frozen) pad.timestamp = performance.now();
    return [plugged ? pad : null, null, null, null];
  };
  window.fakePad = {
    plug() {
      plugged = true;
      frozen = false;
      pad.axes = [0, 0, 0, 0];
      window.dispatchEvent(new Event("gamepadconnected"));
    },
    unplug() {
      plugged = false;
      window.dispatchEvent(new Event("gamepaddisconnected"));
    },
    push(x, y) {
      pad.axes = [x, y, 0, 0];
    },
    freeze() {
      frozen = true;
    },
  };
}
