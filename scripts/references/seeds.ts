// docs/seeds.md, from seeds.yaml: what the documents asked for that Ralph was built from, and what became of it.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import * as z from 'zod';

type State = 'built' | 'differs' | 'open';

const rowState = ({ differs, open }: { differs?: string | undefined; open?: string | undefined }): State => {
  if (open !== undefined) return 'open';
  return differs === undefined ? 'built' : 'differs';
};

const text = z.string().min(1);

const row = z
  .strictObject({
    ask: text,
    /** The file in which a newcomer should begin to read. */
    where: text.optional(),
    test: text.optional(),
    /** The whole title of the test, as its file writes it. */
    title: text.optional(),
    /** One case of a test that runs over a table. */
    case: text.optional(),
    /** The golden file of the test, and what it shows. */
    golden: text.optional(),
    shows: text.optional(),
    /** Why Ralph does something else, or nothing. */
    differs: text.optional(),
    /** The subject of the work that is still to be done. */
    open: text.optional(),
  })
  .refine(({ test, title }) => (test === undefined) === (title === undefined), 'needs both test and title')
  .refine((one) => one.test !== undefined || (one.case ?? one.golden) === undefined, 'needs a test')
  .refine(
    ({ golden, shows }) => (golden === undefined) === (shows === undefined),
    'needs both golden and shows',
  )
  .refine(
    ({ differs, open }) => differs === undefined || open === undefined,
    'cannot both differ and be open',
  )
  .refine(
    (one) => rowState(one) !== 'built' || (one.where !== undefined && one.test !== undefined),
    'is built only with where and test',
  );

const document = z.strictObject({
  document: text,
  about: text,
  sections: z.array(z.strictObject({ section: text, rows: z.array(row) })),
});

export type Row = z.output<typeof row>;
type Document = z.output<typeof document>;

const readDocuments = (): Document[] =>
  z.array(document).parse(parse(readFileSync('scripts/references/seeds.yaml', 'utf8')));

const documentRows = ({ sections }: Document): Row[] => sections.flatMap(({ rows }) => rows);

export const seedRows = (): Row[] => readDocuments().flatMap(documentRows);

export function seedsReference(): string {
  const documents = readDocuments();
  return `<!-- Made from scripts/references/seeds.yaml by \`npm run references\`; change it there. -->

# What the founding documents asked for

Five documents described Ralph before it was built. This page lists what they asked for, in their
order, with the file in which to begin reading and the test that shows it. A test checks that each
of these files and tests exists. Files are below \`src/\` unless they begin with another folder, and
tests are below \`test/\`.

- **built**: the test shows it.
- **differs**: Ralph does something else, for the reason in the last column.
- **open**: it is missing, at least in part. The last column names the work that will bring it.

| document | requirements | built | differs | open |
|---|---|---|---|---|
${documents.map((one) => countLine(one.document, documentRows(one))).join('\n')}
${countLine('all', documents.flatMap(documentRows))}

${documents.map(documentPart).join('\n')}`;
}

const countLine = (name: string, rows: readonly Row[]): string => {
  const count = (state: State): number => rows.filter((one) => rowState(one) === state).length;
  return cells(name, rows.length, count('built'), count('differs'), count('open'));
};

const documentPart = ({ document: title, about, sections }: Document): string => `## ${title}

${about}

| section | requirement | state | where | proof | why it differs, or what will bring it |
|---|---|---|---|---|---|
${sections.flatMap(({ section, rows }) => rows.map((one) => rowLine(section, one))).join('\n')}
`;

const rowLine = (section: string, one: Row): string =>
  cells(section, one.ask, rowState(one), path(one.where, 'src/'), proof(one), one.differs ?? one.open ?? '');

const proof = ({ test, title = '', case: one, shows }: Row): string =>
  test === undefined
    ? ''
    : `${path(test, 'test/')}: ${asText(titleWith(title, one))}${shows === undefined ? '' : `, with "${asText(shows)}"`}`;

/** The title of one case, as far as it is known here. */
const titleWith = (title: string, one = '…'): string =>
  title.replace(PLACEHOLDER, () => one).replaceAll(new RegExp(PLACEHOLDER, 'g'), '…');

const PLACEHOLDER = /%[sj]|\$\{?\w+\}?/;

/** A tag in a title must not become HTML. */
const asText = (title: string): string => title.replace(/[<*_`]/g, (sign) => `\\${sign}`);

const path = (file: string | undefined, folder: string): string =>
  file === undefined ? '' : `\`${file.startsWith(folder) ? file.slice(folder.length) : file}\``;

const cells = (...values: (string | number)[]): string =>
  `| ${values.map((value) => String(value).replaceAll('|', '\\|')).join(' | ')} |`;
