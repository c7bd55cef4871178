import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ProjectView } from '../src/ui/views/project.ts';

export const ProjectContext = createContext<ProjectView | null>(null);

/** What stands around every page; null until it was read. */
export const useProject = (): ProjectView | null => useContext(ProjectContext);

/** Whether anything may be changed here. */
export const useIsReadOnly = (): boolean => useProject()?.isReadOnly ?? true;
