// Parses YAML, and stops early at a map with too many keys.
import {
  Composer,
  type Document,
  type DocumentOptions,
  type ParseOptions,
  Parser,
  YAMLParseError,
} from 'yaml';

/** Far more than Ralph's maps need. The parser compares each key with all others of its map, in quadratic time. */
const MAX_KEYS = 1_000;

export class TooManyKeys extends Error {
  constructor(readonly offset: number) {
    super(`a map has more than ${MAX_KEYS} keys`);
  }
}

type Options = ParseOptions & DocumentOptions & { lineCounter: NonNullable<ParseOptions['lineCounter']> };

/** Does what `parseDocument` of yaml does, but throws TooManyKeys at the first key over the limit. */
export function parseBounded(text: string, options: Options): Document.Parsed {
  const parser = new BoundedParser(options.lineCounter.addNewLine);
  const documents = new Composer(options).compose(parser.parse(text), true, text.length);
  const [first, second] = [documents.next().value, documents.next().value];
  if (first === undefined) throw new Error('the parser answered with no document');
  if (second !== undefined)
    first.errors.push(
      new YAMLParseError(
        [second.range[0], second.range[1]],
        'MULTIPLE_DOCS',
        'Source contains multiple documents',
      ),
    );
  return first;
}

class BoundedParser extends Parser {
  override *next(source: string): ReturnType<Parser['next']> {
    yield* super.next(source);
    const building = this.stack.at(-1);
    if (building === undefined || !('items' in building) || building.items.length <= MAX_KEYS) return;
    const isMap =
      building.type === 'block-map' || (building.type === 'flow-collection' && building.start.source === '{');
    if (isMap) throw new TooManyKeys(this.offset);
  }
}
