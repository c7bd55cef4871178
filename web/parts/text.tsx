import { visible } from '../../src/domain/text/text.ts';

/** What people and agents wrote, as text: nothing in it reverses, hides or moves what stands beside it. */
export const Text = ({ children }: { children: string }) => <bdi>{visible(children)}</bdi>;
