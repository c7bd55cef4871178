import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { asked, dashboardWithin } from '../support/dashboard.ts';
import { initialised } from '../support/ralph.ts';

it('the dashboard opens any document of the project, however many there are', async () => {
  const project = await initialised();
  mkdirSync(join(project.root, 'specs'), { recursive: true });
  for (let number = 100; number < 450; number++)
    writeFileSync(join(project.root, `specs/s${number}.md`), `# Spec ${number}\n`);
  writeFileSync(join(project.root, '.ralph/config.yaml'), 'specs: ["specs/*.md"]\n');
  const place = await dashboardWithin(project);
  const opened = await asked(place, '/api/document?path=specs/s449.md');
  expect(await opened.json()).toEqual({ text: '# Spec 449\n' });
});
