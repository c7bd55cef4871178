import { useEffect } from 'preact/hooks';
import type { SessionView } from '../src/ui/views/session.ts';
import { followStream, isPaused } from './live.ts';
import { type Shown, useView } from './view.ts';

/** That a process is gone, or at its gates, nobody tells of. */
const LOOK_EVERY_MS = 3_000;

/** A session, as it goes on. A page hears of one stream only that it grows: `isFollowed`. */
export function useSession(name: string, isFollowed = true): Shown<SessionView> {
  const shown = useView<SessionView>(
    `/api/sessions/${name}`,
    ({ session_id, kind }) => session_id?.startsWith(name) === true || kind.startsWith('run.'),
  );
  const { session, stream, isOver = true } = shown.value ?? {};
  const id = session?.id ?? null;
  const isOpen = session?.ended === null;
  const look = (): void => {
    if (!isPaused.value && !document.hidden) shown.reload();
  };

  useEffect(() => {
    if (id !== null && isFollowed && !isOver) return followStream(id, look);
  }, [id, isFollowed, isOver]);

  useEffect(() => {
    if (!isOpen) return;
    const timer = setInterval(look, LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [isOpen]);

  // A first reading of a long one takes a while; what is there already is shown meanwhile.
  const isBehind = stream !== undefined && stream.read < (stream.size ?? 0);
  useEffect(() => {
    if (isBehind) shown.reload();
  }, [isBehind, stream]);

  useEffect(look, [isPaused.value]);
  return shown;
}
