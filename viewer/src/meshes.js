// Meshes of the scene: see src/program/view/scene_mesh.h.
import { decodeSeries } from "./codec.js";

const decoded = new WeakMap();

// {points: x, y, z of each, corners: three numbers of points for each triangle}
export function meshOf(scene, index) {
  const data = scene.meshes[index];
  let mesh = decoded.get(data);
  if (!mesh) {
    const [x, y, z] = [data.x, data.y, data.z].map(decodeSeries);
    const points = new Float32Array(3 * x.length);
    for (let k = 0; k < x.length; k++) points.set([x[k], y[k], z[k]], 3 * k);
    mesh = { points, corners: Uint32Array.from(decodeSeries(data.corners), Math.round) };
    decoded.set(data, mesh);
  }
  return mesh;
}
