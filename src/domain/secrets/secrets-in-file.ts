// The values in a file of settings, such as `.env`, that are secrets. In such a file every value may be one, whatever its name.
import { isSecretName, secretValues } from './secret-names.ts';

/** `NAME=value`, `name: value` and `"name": "value"`: environment files, YAML, JSON, properties. */
const ASSIGNED = /^\s*(?:export\s+)?["']?([\w.-]{1,100})["']?\s*[:=]\s*(.+?)\s*,?\s*$/;

/** A name that a value counts as a secret under. */
const ANY_SECRET = 'SECRET';

export function secretsInFile(text: string): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^\s*(?:#|\/\/)/.test(line));
  // A file with one line may be the secret itself.
  const [only = ''] = lines;
  if (lines.length === 1 && !ASSIGNED.test(only)) return secretValues({ [ANY_SECRET]: only });
  return lines.flatMap((line) => {
    const [, name = '', assigned = ''] = ASSIGNED.exec(line) ?? [];
    const value = unquoted(assigned);
    // Several words are rather a text that people read, unless their name says otherwise.
    const isText = /\s/.test(value) && !isSecretName(name);
    return secretValues({ [isText ? name : ANY_SECRET]: value });
  });
}

const unquoted = (value: string): string => {
  const [, , inside] = /^(["'`])(.*)\1(?:\s+#.*)?$/.exec(value) ?? [];
  return inside ?? value.replace(/\s+#.*$/, '');
};
