import {
  backend,
  cli,
  data,
  devops,
  docs,
  frontend,
  fullstack,
  library,
  type PredefinedDiscipline,
  security,
  testing,
} from './disciplines.ts';
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

// Guesses what a repository produces from its dependencies and its layout.

type ProjectKind = 'server' | 'library' | 'command';

const NODE_SERVERS =
  /^(express|fastify|koa|hono|h3|restify|@nestjs\/core|@hapi\/hapi|@apollo\/server|graphql-yoga|@trpc\/server|socket\.io)$/;
const NODE_SITES = /^(next|nuxt|astro|@remix-run\/react|@sveltejs\/kit)$/;

/** Frameworks by the files that name them. */
const SERVERS: readonly (readonly [files: readonly string[], framework: RegExp])[] = [
  [
    ['pyproject.toml', 'requirements.txt', 'setup.cfg', 'Pipfile'],
    /\b(django|flask|fastapi|starlette|aiohttp|tornado|sanic)\b/i,
  ],
  [['Cargo.toml'], /^(axum|actix-web|rocket|warp|tonic|hyper|poem)\b/m],
  [
    ['go.mod'],
    /(gin-gonic\/gin|labstack\/echo|gofiber\/fiber|go-chi\/chi|gorilla\/mux|google\.golang\.org\/grpc)/,
  ],
  [['Gemfile'], /\b(rails|sinatra|hanami|grape)\b/],
  [['composer.json'], /"(laravel\/framework|symfony\/framework-bundle|slim\/slim)"/],
  [['pom.xml', 'build.gradle', 'build.gradle.kts'], /spring-boot|quarkus|micronaut|jakarta\.ws|vertx/],
  [['mix.exs'], /:phoenix\b/],
];
const SERVER_PLACES = ['manage.py', 'config.ru', 'bin/rails', 'Procfile', 'migrations', 'prisma', 'db'];

/** A repository may be of several kinds; the set is empty if nothing shows its kind. */
function projectKinds(repository: Repository): Set<ProjectKind> {
  const kinds = new Set<ProjectKind>();
  if (isServer(repository)) kinds.add('server');
  else if (isLibrary(repository)) kinds.add('library');
  if (hasCommand(repository)) kinds.add('command');
  return kinds;
}

function isServer({ has, text, packageJson, workspaces }: Repository): boolean {
  // Development dependencies say nothing: the tests of a middleware need a server too.
  const runtime = [packageJson, ...workspaces().map((one) => one.packageJson)].flatMap((one) => [
    ...one.runtime,
  ]);
  return (
    has(...SERVER_PLACES) ||
    runtime.some((name) => NODE_SERVERS.test(name) || NODE_SITES.test(name)) ||
    SERVERS.some(([files, framework]) =>
      files.some((file) => framework.test(dependenciesIn(file, text(file)))),
    )
  );
}

/** Drops the project's own name and description: a framework names itself there, but is no server. */
const dependenciesIn = (file: string, text: string): string =>
  file === 'pyproject.toml' ? text.replace(/^(name|description|keywords)\s*=.*$/gm, '') : text;

function isLibrary({ has, text, names, packageJson, workspaces }: Repository): boolean {
  return (
    packageJson.isLibrary ||
    workspaces().some((one) => one.packageJson.isLibrary) ||
    /^\[project\]|^\[tool\.poetry\]/m.test(text('pyproject.toml')) ||
    has('setup.py', 'src/lib.rs') ||
    (has('go.mod') && !has('main.go', 'cmd')) ||
    /"type"\s*:\s*"library"/.test(text('composer.json')) ||
    names.some((name) => name.endsWith('.gemspec'))
  );
}

const hasCommand = ({ text, packageJson, workspaces }: Repository): boolean =>
  packageJson.hasCommand ||
  workspaces().some((one) => one.packageJson.hasCommand) ||
  /^\[project\.scripts\]|^\[tool\.poetry\.scripts\]/m.test(text('pyproject.toml')) ||
  text('setup.py').includes('console_scripts') ||
  /\bclap\b/.test(text('Cargo.toml')) ||
  /spf13\/cobra|urfave\/cli/.test(text('go.mod'));
