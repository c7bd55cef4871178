import { expect, it } from 'vitest';
import { RECIPES } from '../../src/recipes/index.ts';
import { withOverride } from '../../src/recipes/override.ts';
import { render } from '../../src/recipes/render.ts';
import { webshop } from '../support/webshop.ts';

const NONE = { sections: null, off: [], text: {} };
const names = (recipe: typeof RECIPES.task_execution) => recipe.sections.map(({ name }) => name);

it('an override reorders and removes sections', () => {
  const changed = withOverride(RECIPES.task_execution, {
    ...NONE,
    sections: ['task_details', 'project_context', 'state_files'],
    off: ['state_files'],
  });
  expect(names(changed)).toEqual(['task_details', 'project_context']);
});

it('an override replaces sections, even of the system part, and adds sections before the instructions', async () => {
  const changed = withOverride(RECIPES.task_execution, {
    ...NONE,
    text: { state_files: 'Ask Ada.', system_rules: 'Be kind.', house_rules: '## House\n\nNo tabs.' },
  });
  expect(names(changed).slice(-2)).toEqual(['house_rules', 'task_exec_instructions']);
  const { contextOf } = await webshop();
  const { system, prompt } = render(changed, await contextOf({ task_id: 4 }));
  expect(system).toContain('Be kind.');
  expect(prompt).toContain('Ask Ada.');
  expect(prompt).not.toContain('Password hashing with scrypt');
  expect(prompt.match(/Be kind/g)).toBeNull();
});

it('an override with an unknown section is refused, and the message lists the existing ones', () => {
  expect(() => withOverride(RECIPES.task_execution, { ...NONE, off: ['state_fiels'] })).toThrow(
    /there is no section "state_fiels"; did you mean "state_files"\? There are system_rules, protocol, project_context, /,
  );
});
