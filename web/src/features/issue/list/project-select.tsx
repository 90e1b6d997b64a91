import { visibleText } from '../../../lib/visible-text'
import { useTrackers } from '../issue-query'

/** A name for a folder: its last part, with as many parts before it as make it unique among `all`. */
export function nameOfFolder(dir: string, all: readonly string[]): string {
  const parts = dir.split('/')
  for (let length = 1; length < parts.length; length++) {
    const name = parts.slice(-length).join('/')
    if (all.filter((one) => one === name || one.endsWith(`/${name}`)).length <= 1) return name
  }
  return dir
}

interface ProjectSelectProps {
  project: string | undefined
  onProject(project: string | undefined): void
}

/** Chooses the project whose issues are shown. */
export function ProjectSelect({ project, onProject }: ProjectSelectProps) {
  const dirs = (useTrackers().data?.trackers ?? []).map(({ dir }) => dir)
  const all = project === undefined || dirs.includes(project) ? dirs : [...dirs, project]
  return (
    <select
      aria-label="Project"
      title={project === undefined ? 'Issues of all projects' : visibleText(project)}
      value={project ?? ''}
      onChange={(event) => onProject(event.target.value === '' ? undefined : event.target.value)}
      className="h-7 max-w-44 min-w-0 rounded border border-line bg-panel px-1.5 text-xs font-medium max-md:h-9"
    >
      <option value="">All projects</option>
      {all.map((dir) => (
        <option key={dir} value={dir}>
          {nameOfFolder(dir, all)}
        </option>
      ))}
    </select>
  )
}
