import { useId, useState } from 'react'
import { PERMISSION_MODES } from '#domain/task/permission-mode'
import { DEFAULT_TASK_PRIORITY } from '#domain/task/task-limits'
import { Select, TextArea, TextField } from '../../../components/ui/field'
import { foldersFor, type KnownFolder } from './known-folders'
import { MoreFields } from './new-task-more'
import { MORE_FIELDS, type TaskField } from './task-form'
import { Check, type TaskFieldsProps, text } from './task-form-parts'

/** Models that are suggested. */
const OFFERED_MODELS = ['opus', 'sonnet', 'haiku']

/** Suggestions for fields. Other values are allowed. */
export interface KnownNames {
  agents: readonly { name: string; status: 'online' | 'offline'; host: string | null }[]
  dirs: readonly KnownFolder[]
}

/** Fields inside “More”. */
const FIELDS_IN_MORE: readonly TaskField[] = [...MORE_FIELDS, 'parent', 'issue']

/** The fields of a new task; rarely used ones are inside “More”. */
export function NewTaskFields({ known, ...props }: TaskFieldsProps & { known: KnownNames }) {
  const { form, problems } = props
  const hasMore = FIELDS_IN_MORE.some((name) => problems[name] !== undefined)
  const [isOpen, setOpen] = useState(() => MORE_FIELDS.some((name) => form[name] !== '' && form[name] !== false))
  const lists = useId()
  return (
    <div className="flex flex-col gap-3">
      <TextArea
        label="Instructions"
        rows={6}
        autoFocus
        {...text(props, 'text')}
        hint="What the agent should do. The first line becomes the title unless you enter one."
      />
      <div className="grid gap-3 sm:grid-cols-[1fr_6rem]">
        <TextField label="Title" {...text(props, 'title')} />
        <TextField
          label="Priority"
          inputMode="numeric"
          placeholder={String(DEFAULT_TASK_PRIORITY)}
          {...text(props, 'priority')}
        />
      </div>
      {form.parent.trim() === '' ? null : <Parent {...props} />}
      <TextField
        label="Folder"
        list={`${lists}-dirs`}
        placeholder={form.parent.trim() === '' ? '/home/you/project' : 'same as the parent'}
        className="font-mono"
        {...text(props, 'dir')}
        hint="The folder where the agent works: an absolute path on the worker's host."
      />
      <datalist id={`${lists}-dirs`}>
        {foldersFor(known.dirs, known.agents, form.agent).map(({ dir, host }) => (
          <option key={`${host} ${dir}`} value={dir}>
            {host}
          </option>
        ))}
      </datalist>
      <Assignment {...props} known={known} />
      <TextField
        label="After"
        placeholder="t-7f3k9q2m, t-9z8y7x6w"
        className="font-mono"
        {...text(props, 'after')}
        hint="IDs of tasks that must be completed first."
      />
      <details
        open={isOpen || hasMore}
        onToggle={(event) => setOpen(event.currentTarget.open)}
        className="border-t border-line pt-2"
      >
        <summary className="w-fit rounded-sm py-1 text-xs font-medium text-ink-2">
          More: limits, schedule, worktree, tags, parent and issue
        </summary>
        <MoreFields {...props} />
      </details>
    </div>
  )
}

/** The agent that runs the task, its model and permissions. */
function Assignment({ known, ...props }: TaskFieldsProps & { known: KnownNames }) {
  const { form, problems, change } = props
  const lists = useId()
  return (
    <div className="grid gap-3 sm:grid-cols-3">
      <div className="flex flex-col gap-1.5">
        <Select
          label="Assign to"
          value={form.agent}
          problem={problems.agent}
          onChange={(event) => change({ agent: event.target.value })}
        >
          <option value="">Any worker</option>
          {agentsWith(known.agents, form.agent).map(({ name, status }) => (
            <option key={name} value={name}>
              {name}
              {status === 'offline' ? ' (offline)' : ''}
            </option>
          ))}
        </Select>
        {form.agent === '' ? null : (
          <Check {...props} name="isOffer" label="Only offer it. The worker may reject it." />
        )}
      </div>
      <TextField label="Model" placeholder="default" list={`${lists}-models`} {...text(props, 'model')} />
      <datalist id={`${lists}-models`}>
        {OFFERED_MODELS.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <TextField
        label="Permission mode"
        placeholder="default"
        list={`${lists}-modes`}
        {...text(props, 'permissionMode')}
      />
      <datalist id={`${lists}-modes`}>
        {PERMISSION_MODES.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </div>
  )
}

/** The known workers, specialists and leads, with the chosen one even if this server does not know it. */
function agentsWith(known: KnownNames['agents'], own: string): { name: string; status: 'online' | 'offline' }[] {
  const isKnown = own === '' || known.some(({ name }) => name === own)
  return isKnown ? [...known] : [...known, { name: own, status: 'offline' }]
}

function Parent(props: TaskFieldsProps) {
  const { form, change } = props
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="pb-1 text-xs font-medium text-ink-2">
        Follow-up of <code className="font-mono">{form.parent}</code>
      </legend>
      {(
        [
          ['continue', 'Continue its conversation, in its folder.'],
          ['fresh', 'Start a new conversation.'],
        ] as const
      ).map(([value, label]) => (
        <label key={value} className="flex items-center gap-2 text-sm max-md:min-h-9">
          <input
            type="radio"
            name="continuity"
            value={value}
            checked={form.continuity === value}
            onChange={() => change({ continuity: value })}
            className="accent-accent"
          />
          {label}
        </label>
      ))}
      {form.continuity === 'continue' ? (
        <Check
          {...props}
          name="continueNow"
          label="Start now, from its last finished turn, instead of waiting for its end."
        />
      ) : null}
    </fieldset>
  )
}
