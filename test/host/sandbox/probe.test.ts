import { expect, it } from 'vitest';
import { failureFix, installText, osIds } from '../../../src/host/sandbox/probe.ts';

const reading = (files: Readonly<Record<string, string>>) => (path: string) => files[path] ?? null;

it.each([
  ['ID=ubuntu\nID_LIKE=debian\n', 'sudo apt install bubblewrap'],
  ['ID=linuxmint\nID_LIKE="ubuntu debian"\n', 'sudo apt install bubblewrap'],
  ['ID=fedora\n', 'sudo dnf install bubblewrap'],
  ['ID="rocky"\nID_LIKE="rhel centos fedora"\n', 'sudo dnf install bubblewrap'],
  ['ID=arch\n', 'sudo pacman -S bubblewrap'],
  ['ID=alpine\n', 'sudo apk add bubblewrap'],
  ['', 'Install the package bubblewrap.'],
])('on a system with %j the fix is: %s', (release, fix) => {
  expect(installText(osIds(reading({ '/etc/os-release': release })))).toContain(fix);
});

it('each reason for which the kernel refuses has its own fix', () => {
  const none = () => false;
  const fix = (path: string, value: string) => failureFix(reading({ [path]: value }), none);
  expect(fix('/proc/sys/kernel/apparmor_restrict_unprivileged_userns', '1\n')).toMatch(
    /\/etc\/apparmor\.d\/bwrap[\s\S]*profile bwrap \/usr\/bin\/bwrap flags=\(unconfined\) \{\n {2}userns,/,
  );
  expect(fix('/proc/sys/kernel/unprivileged_userns_clone', '0\n')).toContain('unprivileged_userns_clone=1');
  expect(fix('/proc/sys/user/max_user_namespaces', '0\n')).toContain('user.max_user_namespaces=');
  expect(failureFix(reading({}), (path) => path === '/.dockerenv')).toContain('container');
  expect(failureFix(reading({}), none)).toContain('bwrap --ro-bind');
});
