// A secret that a commit would hold: how the person is asked, and what their answer allows.

/** `line` is null in a file that is no text. */
export type SecretHit = { path: string; line: number | null; kind: string };

type AnsweredQuestion = { question: string; answer: string | null };

/** More than this many are not named in one sentence. */
const MAX_NAMED = 5;

/** Names the place and the kind, never the value: the question goes into the database, the report and the next prompt. */
export function secretQuestion(hits: readonly SecretHit[]): string {
  const named = hits.slice(0, MAX_NAMED).map(hitText).join('; ');
  const more = hits.length > MAX_NAMED ? ` and ${hits.length - MAX_NAMED} more` : '';
  return `The commit would hold what looks like a secret: ${named}${more}. Answer "allow" to commit it as it is, or say what the agent should do instead.`;
}

const hitText = ({ path, line, kind }: SecretHit): string =>
  `${kind} in ${JSON.stringify(path)}${line === null ? '' : ` at line ${line}`}`;

/** The hits that no answer has allowed yet. An answer allows what its question named: the kind in the file, on whichever line. */
export function unansweredHits(
  hits: readonly SecretHit[],
  questions: readonly AnsweredQuestion[],
): SecretHit[] {
  const allowed = questions.filter(({ answer }) =>
    /^\W*allow(?:ed)?(?: (?:it|this|that|them))?\W*$/i.test(answer ?? ''),
  );
  return hits.filter(
    ({ kind, path }) =>
      !allowed.some(({ question }) => question.includes(`${kind} in ${JSON.stringify(path)}`)),
  );
}
