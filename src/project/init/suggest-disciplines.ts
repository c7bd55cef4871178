import type { PredefinedDiscipline } from './disciplines.ts';
import {
  backend,
  cli,
  data,
  devops,
  docs,
  frontend,
  fullstack,
  library,
  security,
  testing,
} from './disciplines.ts';
import { projectKinds } from './kind-of-project.ts';
import type { Repository } from './repository.ts';

const FRONTEND =
  /^(react|vue|svelte|preact|solid-js|lit|@angular\/core|next|nuxt|astro|@remix-run\/react|@sveltejs\/kit)$/;
const FULLSTACK = /^(next|nuxt|astro|@remix-run\/react|@sveltejs\/kit)$/;
const SECURITY = /^(jsonwebtoken|jose|passport|helmet|bcrypt|argon2|next-auth|@auth\/core)$/;
const DEVOPS_PLACES = [
  'Dockerfile',
  'compose.yaml',
  'docker-compose.yml',
  '.github/workflows',
  '.gitlab-ci.yml',
  'k8s',
  'helm',
];
const DATA_PLACES = ['migrations', 'dbt_project.yml', 'db', 'prisma', 'notebooks'];
const DATA = /^(prisma|drizzle-orm|kysely|knex|typeorm|sequelize|pg|mysql2|better-sqlite3|mongodb|mongoose)$/;

type Fit = readonly [PredefinedDiscipline, (repository: Repository) => boolean];

/** Each discipline with a check whether the repository has work for it. */
const FITS: readonly Fit[] = [
  // Backend is the most general one, so it is also the choice if nothing shows the repository's kind.
  [backend, (repository) => projectKinds(repository).has('server') || !hasOtherKind(repository)],
  [library, (repository) => projectKinds(repository).has('library')],
  [cli, (repository) => projectKinds(repository).has('command')],
  [frontend, (repository) => isFrontend(repository)],
  [fullstack, (repository) => depends(repository, FULLSTACK)],
  [
    testing,
    ({ has, packageJson }) =>
      has('test', 'tests', 'spec', '__tests__', 'e2e') || packageJson.scripts['test'] !== undefined,
  ],
  [
    devops,
    (repository) => repository.has(...DEVOPS_PLACES) || repository.names.some((name) => name.endsWith('.tf')),
  ],
  [security, (repository) => repository.has('SECURITY.md') || depends(repository, SECURITY)],
  [
    data,
    (repository) =>
      repository.has(...DATA_PLACES) ||
      depends(repository, DATA) ||
      repository.names.some((name) => /\.(sql|ipynb)$/.test(name)),
  ],
  [docs, ({ has }) => has('docs', 'doc', 'mkdocs.yml')],
];

const isFrontend = (repository: Repository): boolean =>
  depends(repository, FRONTEND) || repository.has('index.html');

const hasOtherKind = (repository: Repository): boolean =>
  projectKinds(repository).size > 0 || isFrontend(repository);

const depends = ({ packageJson }: Repository, pattern: RegExp): boolean =>
  [...packageJson.dependencies].some((name) => pattern.test(name));

export const suggestDisciplines = (repository: Repository): PredefinedDiscipline[] =>
  FITS.filter(([, fits]) => fits(repository)).map(([discipline]) => discipline);
