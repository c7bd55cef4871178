import { Empty, Text } from '../../parts/labels.tsx';
import { useSession } from '../../watch-session.ts';
import { SessionHead } from './head.tsx';
import { SessionReport } from './report.tsx';
import { Stream } from './stream.tsx';

export function SessionPage({ name }: { name: string }) {
  const { value, error } = useSession(name);
  if (value === null)
    return (
      <>
        <h1>Session</h1>
        {error !== null && (
          <Empty>
            <Text>{error}</Text> <a href="/sessions">See all sessions.</a>
          </Empty>
        )}
      </>
    );
  return (
    <>
      <SessionHead value={value} />
      {value.missing === null ? (
        <Stream value={value} />
      ) : (
        <>
          <Empty>
            <Text>{value.missing}</Text>
          </Empty>
          <SessionReport value={value} />
        </>
      )}
    </>
  );
}
