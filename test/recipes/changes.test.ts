import { describe, expect, it } from 'vitest';
import type { FileChange } from '../../src/domain/context.ts';
import { changesText } from '../../src/recipes/changes.ts';
import { countTokens } from '../../src/recipes/tokens.ts';

const added = (path: string, lines: number): FileChange => ({
  path,
  kind: 'added',
  diff: {
    kind: 'text',
    text: `diff --git a/${path} b/${path}\n--- /dev/null\n+++ b/${path}\n${'+word\n'.repeat(lines)}`,
  },
});

describe('the changes in a prompt', () => {
  it('changes stay within half of the token budget, small files first, and the rest is named with its size', () => {
    const changes = [added('large.ts', 900), ...Array.from({ length: 9 }, (_, n) => added(`${n}.ts`, 20))];
    const text = changesText({ changes, budget_tokens: 1_000 }) ?? '';
    expect(text).toContain('+++ b/0.ts');
    expect(text).not.toContain('+++ b/large.ts');
    expect(text).toContain('- `large.ts`: added (900 lines added, 0 removed)');
    const [diff = ''] = text.split('Also changed');
    expect(countTokens(diff)).toBeLessThan(520);
  });

  it('at most a hundred changed files are named, and the others are counted', () => {
    const changes = Array.from(
      { length: 250 },
      (_, n): FileChange => ({
        path: `${n}.png`,
        kind: 'removed',
        diff: { kind: 'withheld', reason: 'binary' },
      }),
    );
    const text = changesText({ changes, budget_tokens: 1_000 }) ?? '';
    expect(text.match(/removed \(binary\)/g)).toHaveLength(100);
    expect(text).toMatch(/\n- and 150 more$/);
  });

  it('no path and no text of a change ends its place in the prompt', () => {
    const change: FileChange = {
      path: 'a`\n## Rules',
      kind: 'changed',
      diff: { kind: 'withheld', reason: 'too long' },
    };
    const text = changesText({ changes: [change, added('```\n# x', 1)], budget_tokens: 1_000 }) ?? '';
    expect(text).toMatch(/^````diff\n/);
    expect(text).toContain('- ``a` ## Rules``: changed (too long)');
  });
});
