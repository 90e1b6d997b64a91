import { useQuery } from '@tanstack/react-query'
import { GitMerge, Trash2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { Attempt, Task } from '#domain/task/task'
import { AgentLine } from '../../../components/ui/agent-text'
import { Button } from '../../../components/ui/button'
import { Loading } from '../../../components/ui/empty'
import { ErrorLine } from '../../../components/ui/error-card'
import { CommandLine } from '../../../components/ui/id-chip'
import { When } from '../../../components/ui/when'
import { client } from '../../../lib/api'
import { counted } from '../../../lib/format'
import { visibleText } from '../../../lib/visible-text'
import { Patch } from '../../session/patch/patch'
import { readPatch } from '../git-patch'
import { Section } from './section'
import { DropDialog, MergeDialog, type Work } from './work-dialogs'

/** Files whose lines are shown at first. */
const FIRST_FILES = 20

/** What the task left on its branch: how it stands to the other branch, its commits and what changed. Git is asked when it is opened. */
export function TaskWork({ task, attempts }: { task: Task; attempts: readonly Attempt[] }) {
  const [isOpen, setOpen] = useState(false)
  const [dropped, setDropped] = useState<string | null>(null)
  const branch = attempts.findLast((attempt) => attempt.branch !== null)?.branch ?? ''
  const { data, error } = useQuery({
    queryKey: ['task', task.id, 'work'],
    queryFn: ({ signal }) => client.tasks.work(task.id, { signal }),
    enabled: isOpen && dropped === null,
    retry: false,
  })
  return (
    <Section
      title="Worktree"
      aside={
        <Button look="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Hide changes' : 'Show changes'}
        </Button>
      }
    >
      <p className="font-mono text-xs text-ink-2">{visibleText(branch)}</p>
      {dropped !== null ? (
        <output className="text-xs text-ink-2">{dropped}</output>
      ) : !isOpen ? null : data !== undefined ? (
        <WorkView task={task} work={data} isRunning={attempts.some(({ isLive }) => isLive)} onDropped={setDropped} />
      ) : error === null ? (
        <Loading what="Reading the branch" />
      ) : (
        <ErrorLine error={error} />
      )}
    </Section>
  )
}

interface WorkViewProps {
  task: Task
  work: Work
  isRunning: boolean
  onDropped(words: string): void
}

function WorkView({ task, work, isRunning, onDropped }: WorkViewProps) {
  const [dialog, setDialog] = useState<'merge' | 'drop' | null>(null)
  const [done, setDone] = useState<string | null>(null)
  const [isWhole, setWhole] = useState(false)
  const files = useMemo(() => readPatch(work.patch), [work.patch])
  const { into, ahead, behind, uncommitted, commits, path, isCut } = work
  const shown = isWhole ? files : files.slice(0, FIRST_FILES)
  const why = isRunning ? 'The task is running: wait for its end, or pause it.' : undefined
  return (
    <div className="flex flex-col gap-2 pt-1 text-sm">
      <p data-testid="work-stand">
        {counted(ahead, 'commit')} ahead of <span className="font-mono text-xs">{visibleText(into)}</span>, {behind}{' '}
        behind
        {uncommitted.length === 0 ? '' : `, ${counted(uncommitted.length, 'file')} in no commit`}.
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          act="tasks.merge"
          look="main"
          icon={<GitMerge aria-hidden size={13} />}
          disabled={isRunning || (ahead === 0 && uncommitted.length === 0)}
          title={why}
          onClick={() => setDialog('merge')}
        >
          Merge …
        </Button>
        <Button
          act="tasks.drop"
          look="danger"
          icon={<Trash2 aria-hidden size={13} />}
          disabled={isRunning}
          title={why}
          onClick={() => setDialog('drop')}
        >
          Drop …
        </Button>
        {path === null ? null : <CommandLine command={`cd ${quoted(path)}`} />}
      </div>
      <output aria-live="polite" className="text-xs text-ink-2 empty:hidden">
        {done}
      </output>
      {commits.length === 0 ? null : (
        <ul aria-label="Commits" className="flex flex-col">
          {commits.map(({ id, title, at }) => (
            <li key={id} className="flex items-baseline gap-2">
              <span className="font-mono text-2xs text-ink-3">{id.slice(0, 7)}</span>
              <span className="min-w-0 flex-1">
                <AgentLine text={title} />
              </span>
              <When at={at} className="text-2xs text-ink-3" />
            </li>
          ))}
        </ul>
      )}
      {files.length === 0 ? <p className="text-xs text-ink-3">The branch changes nothing.</p> : null}
      {shown.map(({ path: file, notes, hunks }) => (
        <div key={file}>
          {notes.length === 0 ? null : (
            <p className="text-2xs text-ink-3">
              {hunks.length > 0 ? null : (
                <>
                  <span className="font-mono">{visibleText(file)}</span>:{' '}
                </>
              )}
              {visibleText(notes.join(', '))}
            </p>
          )}
          {hunks.length === 0 ? null : <Patch path={file} hunks={hunks} />}
        </div>
      ))}
      {shown.length === files.length ? null : (
        <Button onClick={() => setWhole(true)}>{counted(files.length - shown.length, 'more file')}</Button>
      )}
      {isCut ? (
        <p className="text-xs text-ink-3">
          The patch is longer than what is shown. Run <code className="font-mono">lode task diff {task.id}</code> to see
          all of it.
        </p>
      ) : null}
      {dialog === 'merge' ? (
        <MergeDialog task={task} work={work} onDone={setDone} onClose={() => setDialog(null)} />
      ) : null}
      {dialog === 'drop' ? (
        <DropDialog task={task} work={work} onDone={onDropped} onClose={() => setDialog(null)} />
      ) : null}
    </div>
  )
}

/** As a shell takes it. */
const quoted = (path: string): string => (/^[\w./~+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`)
