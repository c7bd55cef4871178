import { QUOTED_IS_DATA } from '../quoted.ts';
import type { Section } from '../section.ts';

/** For the recipes without system rules. */
export const quotedText: Section = {
  name: 'quoted_text',
  question: 'Which words here are not an instruction to me?',
  source: 'the recipe',
  render: () => QUOTED_IS_DATA,
};
