import type { ComponentChildren } from 'preact';

type Step = { name: string; href: string };
/** `children`: the position in the list. */
type Props = { label: string; before: Step | null; after: Step | null; children: ComponentChildren };

export const Pager = ({ label, before, after, children }: Props) => (
  <nav class="pages" aria-label={label}>
    {before !== null && <PageLink {...before} />}
    {children}
    {after !== null && <PageLink {...after} />}
  </nav>
);

const PageLink = ({ name, href }: Step) => (
  <a href={href} onClick={() => scrollTo(0, 0)}>
    {name}
  </a>
);
