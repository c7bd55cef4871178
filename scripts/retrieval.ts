// How well learnings are found: recall and rank over a judged corpus, for each way of ranking them. `--write` puts the table into docs/.
// `--ollama URL` (and `--model NAME`) adds the rows that need a model.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ollama } from '../src/context/ollama.ts';
import { closeQueue, openQueue } from '../src/queue/queue.ts';
import { type Corpus, fillCorpus } from './retrieval/corpus.ts';
import { rankings } from './retrieval/rankings.ts';
import { scoreRanking } from './retrieval/score.ts';
import { readFlags } from './usage.ts';

const { values } = readFlags('npm run retrieval [-- --ollama URL] [--model NAME] [--write]', {
  options: {
    ollama: { type: 'string' },
    model: { type: 'string', default: 'nomic-embed-text' },
    write: { type: 'boolean', default: false },
  },
});

const corpus: Corpus = JSON.parse(readFileSync('test/fixtures/knowledge/corpus.json', 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'ralph-retrieval-'));
const queue = await openQueue(join(folder, 'ralph.db'), Date.now);
const lines = [
  '| ranking | recall@5 | recall in the prompt | MRR | nothing found |',
  '|---|---|---|---|---|',
];
let note = '';
try {
  const ids = await fillCorpus(queue, corpus);
  const embedder =
    values.ollama === undefined
      ? null
      : ollama({ url: values.ollama, model: values.model, timeoutMs: 60_000 });
  for (const { name, rank } of rankings(queue.store, corpus, ids, embedder)) {
    const { recallAt5, recall, mrr, empty } = await scoreRanking(corpus, rank);
    lines.push(
      `| ${name} | ${recallAt5.toFixed(3)} | ${recall.toFixed(3)} | ${mrr.toFixed(3)} | ${empty} of ${corpus.queries.length} |`,
    );
  }
  note = embedderNote(values.ollama, values.model, embedder?.problem() ?? null);
} finally {
  await closeQueue(queue);
  rmSync(folder, { recursive: true });
}

const table = `${lines.join('\n')}\n\n${note}\n`;
process.stdout.write(table);
if (values.write) {
  const file = 'docs/retrieval.md';
  const [before = '', after = ''] = readFileSync(file, 'utf8').split(
    /(?<=<!-- table -->\n)[\s\S]*?(?=<!-- end -->)/,
  );
  writeFileSync(file, `${before}\n${table}\n${after}`);
}

function embedderNote(url: string | undefined, model: string, problem: string | null): string {
  if (url === undefined)
    return 'The rows "embeddings" and "fused" are missing: no embedding model was named.\n`npm run retrieval -- --ollama URL` adds them.';
  return problem === null
    ? `Embeddings by ${model}.`
    : `The model ${model} did not answer (${problem}): the rows that need it show words alone.`;
}
