// Before each file of tests; the first one of a worker opens it for all.
import { openGitStarter } from '../../src/host/git/git-process.ts';
import { openShellStarter } from './shell-starter.ts';

openGitStarter([], openShellStarter);
