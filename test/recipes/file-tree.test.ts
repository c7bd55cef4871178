import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileTree } from '../../src/recipes/file-tree.ts';
import { countTokens } from '../../src/recipes/tokens.ts';

describe('the tree of a codebase', () => {
  it('a small project is shown whole, files before folders, whatever the order of its list', () => {
    const paths = ['src/cli/main.ts', 'README.md', 'src/index.ts', 'java/com/shop/Cart.java', 'package.json'];
    const text = ['README.md, package.json', 'java/com/shop/', '  Cart.java', 'src/', '  index.ts', '  cli/'];
    expect(fileTree(paths, 2_000)).toBe([...text, '    main.ts'].join('\n'));
    expect(fileTree(paths.toReversed(), 2_000)).toBe(fileTree(paths, 2_000));
  });

  it('a large project stays within the budget: deep folders and long lists are counted', () => {
    const paths = Array.from({ length: 20_000 }, (_, n) => `src/part${n % 40}/deep/er${n % 7}/file${n}.ts`);
    const text = fileTree([...paths, ...Array.from({ length: 90 }, (_, n) => `root${n}.txt`)], 2_000);
    expect(countTokens(text)).toBeLessThanOrEqual(2_000);
    expect(countTokens(text)).toBeGreaterThan(1_000);
    expect(text).toContain('and 65 more files');
    expect(text).toContain('    er3/ (72 files)');
  });

  it('no list of names leaves its line, repeats a part or exceeds the budget', () => {
    const name = fc.oneof(
      fc.string({ minLength: 1, maxLength: 12 }),
      fc.constantFrom('a', 'b', '```', 'x\ny'),
    );
    const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));
    fc.assert(
      fc.property(fc.array(path, { maxLength: 60 }), fc.integer({ min: 50, max: 400 }), (paths, budget) => {
        const text = fileTree(paths, budget);
        expect(countTokens(text)).toBeLessThanOrEqual(budget);
        expect(text).not.toMatch(/\n\s*\n/);
        expect(fileTree([...paths, ...paths], budget)).toBe(text);
      }),
    );
  });
});
