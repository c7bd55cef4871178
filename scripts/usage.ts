// What a person types after `npm run`: a mistake ends in one sentence, and --help shows the flags.
import { type ParseArgsConfig, parseArgs } from 'node:util';

const WRONG_USAGE = 2;

export function refuse(sentence: string): never {
  console.error(sentence);
  process.exit(WRONG_USAGE);
}

/** `usage`: the flags, as one types them. */
export function readFlags<T extends ParseArgsConfig>(
  usage: string,
  config: T,
): ReturnType<typeof parseArgs<T>> {
  if (process.argv.includes('--help')) {
    console.log(usage);
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    // Its first sentence names the mistake. The others advise what no flag here needs.
    return refuse(`${String((error as Error).message).split('. ')[0]}. Usage: ${usage}`);
  }
}
