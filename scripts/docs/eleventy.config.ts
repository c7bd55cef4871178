// npm run docs: the same Markdown as in the repository, as pages in site/. Eleventy reads and renders; what is around is in page.ts.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { buildSync } from 'esbuild';
import { OUTSIDE, sitePath, slug } from './links.ts';
import { renderPage } from './page.ts';
import { buildIndex, readSections } from './search-index.ts';

const OUTPUT = 'site';
/** They name everything once more, and would come before the pages that explain it. */
const UNSEARCHED = ['CHANGELOG.md', 'docs/seeds.md'];

/** What is used of Eleventy and of its Markdown renderer, which have no types. */
type Token = { type: string; content: string; attrSet(name: string, value: string): void };
type Markdown = {
  set(options: object): void;
  core: { ruler: { push(name: string, rule: (state: { tokens: Token[] }) => void): void } };
};
type Rendered = { page: { inputPath: string; outputPath: string } };
type Eleventy = {
  addTemplate(path: string, text: string): void;
  addPassthroughCopy(path: string): void;
  addGlobalData(name: string, value: unknown): void;
  amendLibrary(name: string, amend: (library: Markdown) => void): void;
  addTransform(name: string, transform: (this: Rendered, content: string) => string): void;
  on(event: string, listener: (result: { results: { inputPath: string }[] }) => void): void;
};

export default function configure(eleventy: Eleventy): object {
  for (const file of OUTSIDE) eleventy.addTemplate(file, readFileSync(file, 'utf8'));
  eleventy.addPassthroughCopy('docs/**/*.{png,svg}');
  eleventy.addPassthroughCopy('docs/examples');
  eleventy.addGlobalData(
    'permalink',
    () =>
      ({ page }: Rendered) =>
        sitePath(sourceFile(page.inputPath)),
  );
  eleventy.amendLibrary('md', (library) => {
    library.set({ html: true, linkify: false });
    library.core.ruler.push('heading-ids', nameHeadings);
  });
  eleventy.addTransform('page', function (content) {
    return renderPage(content, sourceFile(this.page.inputPath));
  });
  eleventy.on('eleventy.after', ({ results }) => {
    const sections = results
      .map(({ inputPath }) => sourceFile(inputPath))
      .filter((file) => !UNSEARCHED.includes(file))
      .flatMap((file) => readSections(file, readFileSync(file, 'utf8')));
    writeFileSync(
      `${OUTPUT}/search-index.js`,
      `window.SEARCH_INDEX = ${JSON.stringify(buildIndex(sections))};\n`,
    );
    buildSync({
      entryPoints: ['scripts/docs/search.ts'],
      outfile: `${OUTPUT}/search.js`,
      bundle: true,
      minify: true,
    });
    copyFileSync('scripts/docs/style.css', `${OUTPUT}/style.css`);
  });
  // Braces in the Markdown are Ralph's own.
  return { dir: { input: 'docs', output: OUTPUT }, markdownTemplateEngine: false };
}

/** Virtual pages lie in the input folder, but their files beside it. */
function sourceFile(inputPath: string): string {
  const file = inputPath.replace(/^\.\//, '');
  const outside = OUTSIDE.find((name) => file === `docs/${name}`);
  return outside ?? file;
}

function nameHeadings({ tokens }: { tokens: Token[] }): void {
  const used = new Map<string, number>();
  tokens.forEach((token, at) => {
    if (token.type !== 'heading_open') return;
    const id = slug(tokens[at + 1]?.content ?? '');
    const times = used.get(id) ?? 0;
    used.set(id, times + 1);
    token.attrSet('id', times === 0 ? id : `${id}-${times}`);
  });
}
