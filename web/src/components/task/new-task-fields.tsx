import { useId, useState } from 'react'
import { MORE_FIELDS, type TaskField } from '../../lib/task-form'
import { Select, TextArea, TextField } from '../ui/field'
import { MoreFields } from './new-task-more'
import { Check, type TaskFieldsProps, text } from './task-form-parts'

/** What fields may be filled with: a help for typing, never a limit. */
export interface KnownNames {
  agents: readonly { name: string; status: 'online' | 'offline' }[]
  dirs: readonly string[]
}

const BEHIND: readonly TaskField[] = [...MORE_FIELDS, 'parent', 'issue']

/** What the person types; the seldom fields stand behind "More". */
export function NewTaskFields({ known, ...props }: TaskFieldsProps & { known: KnownNames }) {
  const { form, problems, change } = props
  const hasMore = BEHIND.some((name) => problems[name] !== undefined)
  const [isOpen, setOpen] = useState(() => MORE_FIELDS.some((name) => form[name] !== '' && form[name] !== false))
  const lists = useId()
  return (
    <div className="flex flex-col gap-3">
      <TextArea
        label="What is to be done"
        rows={6}
        autoFocus
        {...text(props, 'text')}
        hint="What the agent is told. Its first line is the title, unless you give one."
      />
      <div className="grid gap-3 sm:grid-cols-[1fr_6rem]">
        <TextField label="Title" {...text(props, 'title')} />
        <TextField label="Priority" inputMode="numeric" placeholder="50" {...text(props, 'priority')} />
      </div>
      {form.parent.trim() === '' ? null : <Parent {...props} />}
      <TextField
        label="Folder"
        list={`${lists}-dirs`}
        placeholder={form.parent.trim() === '' ? '/home/you/project' : "the parent's"}
        className="font-mono"
        {...text(props, 'dir')}
        hint="Where the agent works: the whole path, on the worker's machine."
      />
      <datalist id={`${lists}-dirs`}>
        {known.dirs.map((dir) => (
          <option key={dir} value={dir} />
        ))}
      </datalist>
      <div className="grid gap-3 sm:grid-cols-3">
        <div className="flex flex-col gap-1.5">
          <Select
            label="Agent"
            value={form.agent}
            problem={problems.agent}
            onChange={(event) => change({ agent: event.target.value })}
          >
            <option value="">any worker</option>
            {agentsWith(known.agents, form.agent).map(({ name, status }) => (
              <option key={name} value={name}>
                {name}
                {status === 'offline' ? ' (offline)' : ''}
              </option>
            ))}
          </Select>
          {form.agent === '' ? null : (
            <Check {...props} name="isOffer" label="only offer it: the agent may reject it" />
          )}
        </div>
        <TextField label="Model" placeholder="the agent's own" list={`${lists}-models`} {...text(props, 'model')} />
        <datalist id={`${lists}-models`}>
          {['opus', 'sonnet', 'haiku'].map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <TextField
          label="Permissions"
          placeholder="the agent's own"
          list={`${lists}-modes`}
          {...text(props, 'permissionMode')}
        />
        <datalist id={`${lists}-modes`}>
          {['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'].map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </div>
      <TextField
        label="After"
        placeholder="t-7f3k9q2m, t-9z8y7x6w"
        className="font-mono"
        {...text(props, 'after')}
        hint="Tasks that have to be completed first."
      />
      <details
        open={isOpen || hasMore}
        onToggle={(event) => setOpen(event.currentTarget.open)}
        className="border-t border-line pt-2"
      >
        <summary className="w-fit rounded-sm py-1 text-xs font-medium text-ink-2">
          More: limits, time, worktree, tags, parent and issue
        </summary>
        <MoreFields {...props} />
      </details>
    </div>
  )
}

/** A task that an agent is named for, also one that this server has not heard of (yet). */
function agentsWith(known: KnownNames['agents'], own: string): { name: string; status: 'online' | 'offline' }[] {
  const isKnown = own === '' || known.some(({ name }) => name === own)
  return isKnown ? [...known] : [...known, { name: own, status: 'offline' }]
}

function Parent(props: TaskFieldsProps) {
  const { form, change } = props
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="pb-1 text-xs font-medium text-ink-2">
        It follows up <code className="font-mono">{form.parent}</code>
      </legend>
      {(
        [
          ['continue', 'and continues its conversation, in its folder: the text may build on it'],
          ['fresh', 'and begins a new conversation'],
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
        <Check {...props} name="continueNow" label="not waiting for it to end: from its last finished turn" />
      ) : null}
    </fieldset>
  )
}
