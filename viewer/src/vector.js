// Vectors as arrays of three numbers, matrices as nine, row by row.
export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (s, a) => [s * a[0], s * a[1], s * a[2]];
export const axpy = (a, s, b) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export const length = (a) => Math.hypot(a[0], a[1], a[2]);
export const distance = (a, b) => length(sub(a, b));
export const unit = (a) => scale(1 / (length(a) || 1), a);
export const mix = (a, b, s) => axpy(scale(1 - s, a), s, b);

// Some direction normal to a unit vector.
export function normalTo(a) {
  const k = Math.abs(a[0]) < 0.8 ? [1, 0, 0] : [0, 1, 0];
  return unit(cross(a, k));
}

// The rotation matrix of a unit quaternion (s, x, y, z).
export function rotationOf(s, x, y, z) {
  const n = 1 / Math.hypot(s, x, y, z);
  s *= n;
  x *= n;
  y *= n;
  z *= n;
  return [
    1 - 2 * (y * y + z * z), 2 * (x * y - s * z), 2 * (x * z + s * y),
    2 * (x * y + s * z), 1 - 2 * (x * x + z * z), 2 * (y * z - s * x),
    2 * (x * z - s * y), 2 * (y * z + s * x), 1 - 2 * (x * x + y * y),
  ];
}

export const turn = (R, v) => [
  R[0] * v[0] + R[1] * v[1] + R[2] * v[2],
  R[3] * v[0] + R[4] * v[1] + R[5] * v[2],
  R[6] * v[0] + R[7] * v[1] + R[8] * v[2],
];

// The axes of a plane in cyclic order, the normal last; in space x, y, z.
export const planeAxes = (plane) => ({ xy: [0, 1, 2], yz: [1, 2, 0], zx: [2, 0, 1] })[plane] ?? [0, 1, 2];
