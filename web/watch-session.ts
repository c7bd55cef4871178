import { useEffect } from 'preact/hooks';
import type { SessionView } from '../src/ui/views/session.ts';
import { followStream, isPaused } from './live.ts';
import { useView, type ViewState } from './view.ts';

/** That it is being checked, and how far its gates are, nobody tells of. */
const LOOK_EVERY_MS = 3_000;

/** A session, as it goes on. A page hears of one stream only that it grows: `isFollowed`. */
export function useSession(name: string, isFollowed = true): ViewState<SessionView> {
  const shown = useView<SessionView>(
    `/api/sessions/${name}`,
    ({ session_id, kind }) => session_id?.startsWith(name) === true || kind.startsWith('run.'),
  );
  const { session, stream, isOver = true } = shown.value ?? {};
  const id = session?.id ?? null;
  useEffect(() => {
    if (id !== null && !isOver) return watch(isFollowed ? id : null, shown.reload);
  }, [id, isFollowed, isOver]);

  // A first reading of a long one takes a while; what is there already is shown meanwhile.
  const isBehind = stream !== undefined && stream.read < (stream.size ?? 0);
  useEffect(() => {
    if (isBehind) shown.reload();
  }, [isBehind, stream]);
  return shown;
}

/** Reads again and again what goes on; answers with how to stop. `followed`: whose stream is heard of. */
function watch(followed: string | null, reload: () => void): () => void {
  let isHeldBack = false;
  const look = (): void => {
    isHeldBack = isPaused.value || document.hidden;
    if (!isHeldBack) reload();
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  const ends = [
    () => clearInterval(timer),
    isPaused.subscribe(() => isHeldBack && look()),
    ...(followed === null ? [] : [followStream(followed, look)]),
  ];
  return () => {
    for (const end of ends) end();
  };
}
