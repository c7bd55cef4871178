import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Drawing } from '../../../src/domain/graph/drawing.ts';
import { boxAt } from '../../../src/domain/graph/window.ts';
import { Camera } from './camera.ts';
import { attachGestures } from './gestures.ts';

/** Begins where there is most to see; after that only people move it, and whoever is looked at stays in place. */
export function useCamera(
  frame: RefObject<HTMLElement | null>,
  canvas: RefObject<HTMLElement | null>,
  drawing: Drawing,
  chosen: number | null,
): Camera | null {
  const [camera, setCamera] = useState<Camera | null>(null);
  const shown = useRef<Drawing | null>(null);
  useLayoutEffect(() => {
    if (frame.current === null || canvas.current === null) return;
    const made = new Camera(frame.current, canvas.current);
    const letGo = attachGestures(made);
    setCamera(made);
    return () => {
      letGo();
      made.stop();
    };
  }, [frame, canvas]);
  useLayoutEffect(() => {
    if (camera === null) return;
    const before = shown.current;
    shown.current = drawing;
    camera.size = drawing;
    if (before === null) {
      const first = drawing.byId.get(chosen ?? drawing.critical.tasks[0] ?? 0) ?? drawing.nodes[0];
      camera.begin(first === undefined ? null : boxAt(first));
      return;
    }
    if (before === drawing) {
      const looked = drawing.byId.get(chosen ?? 0);
      if (looked !== undefined) camera.reveal(boxAt(looked));
      return;
    }
    const held = before.byId.get(chosen ?? 0) ?? before.nodes.find(({ id }) => drawing.byId.has(id));
    const now = drawing.byId.get(held?.id ?? 0);
    if (held === undefined || now === undefined) return;
    const scale = camera.scale.value;
    camera.move((held.x - now.x) * scale, (held.y - now.y) * scale);
  }, [camera, drawing, chosen]);
  return camera;
}
