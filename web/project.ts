import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ProjectView } from '../src/ui/views/project.ts';

export const ProjectContext = createContext<ProjectView | null>(null);

/** What the frame around every page shows; null until it has been read. */
export const useProject = (): ProjectView | null => useContext(ProjectContext);

/** True until the project has been read: no page offers a change that the server may refuse. */
export const useIsReadOnly = (): boolean => useProject()?.isReadOnly ?? true;
