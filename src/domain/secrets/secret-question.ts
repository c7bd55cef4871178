// The question about a secret that a commit would contain, and what the person's answer allows.

/** `line` is null in a binary file. */
export type SecretHit = { path: string; line: number | null; kind: string };

type AnsweredQuestion = { question: string; answer: string | null };

/** The question names at most this many. */
const MAX_NAMED = 5;

/** Never contains the value, because the question goes into the database, the report and the next prompt. */
export function secretQuestion(hits: readonly SecretHit[]): string {
  const named = hits.slice(0, MAX_NAMED).map(hitText).join('; ');
  const more = hits.length > MAX_NAMED ? ` and ${hits.length - MAX_NAMED} more` : '';
  return `The commit would hold what looks like a secret: ${named}${more}. Answer "allow" to commit it as it is, or say what the agent should do instead.`;
}

const hitText = ({ path, line, kind }: SecretHit): string =>
  `${kind} in ${JSON.stringify(path)}${line === null ? '' : ` at line ${line}`}`;

/** The hits that no answer allows yet. An answer allows the kind of secret in the file, on any line. */
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
