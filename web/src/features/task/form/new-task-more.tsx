import { DEFAULT_RETRY_POLICY } from '#domain/task/task'
import { type AnyTaskField, RUN_FIELDS, type RunFieldName } from '#domain/task/task-fields'
import { TextField } from '../../../components/ui/field'
import { LIMIT_FIELDS } from './task-form'
import { Check, type TaskFieldsProps, text } from './task-form-parts'

function LimitField({ name, ...props }: TaskFieldsProps & { name: RunFieldName }) {
  const { kind, label, example }: AnyTaskField = RUN_FIELDS[name]
  return (
    <TextField
      label={label ?? name}
      inputMode={kind === 'whole' ? 'numeric' : kind === 'dollars' ? 'decimal' : undefined}
      placeholder={example}
      {...text(props, name)}
      hint={kind === 'duration' ? 'For each attempt.' : undefined}
    />
  )
}

/** Rarely used fields of a new task. */
export function MoreFields(props: TaskFieldsProps) {
  const { form } = props
  return (
    <div className="flex flex-col gap-3 pt-2">
      <div className="grid gap-3 sm:grid-cols-4">
        {LIMIT_FIELDS.map((name) => (
          <LimitField key={name} {...props} name={name} />
        ))}
        <TextField
          label="Maximum attempts"
          inputMode="numeric"
          placeholder={String(DEFAULT_RETRY_POLICY.maximumAttempts)}
          {...text(props, 'attempts')}
        />
      </div>
      <div className="grid gap-3 sm:grid-cols-3">
        <TextField label="Parent task" className="font-mono" {...text(props, 'parent')} />
        <TextField label="Issue" className="font-mono" {...text(props, 'issue')} />
        <TextField label="Epic" className="font-mono" {...text(props, 'epic')} />
      </div>
      <div className="grid gap-3 sm:grid-cols-3">
        <TextField label="Tags" placeholder="one, two words" {...text(props, 'tags')} />
        <TextField label="Type" {...text(props, 'type')} />
        <TextField
          label="Capabilities"
          {...text(props, 'capabilities')}
          hint="Only workers with all of them take the task."
        />
      </div>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Agent CLI"
          placeholder="codex, claude-code"
          {...text(props, 'clis')}
          hint="Or several, the best first. Empty: the worker's own, or that of the conversation."
        />
        <TextField label="Start after" type="datetime-local" {...text(props, 'notBefore')} />
        {form.worktree ? (
          <TextField label="Branch from" placeholder="HEAD" className="font-mono" {...text(props, 'base')} />
        ) : null}
      </div>
      <div className="flex flex-wrap gap-x-6 gap-y-1.5">
        <Check {...props} name="worktree" label="Use a separate git worktree and branch" />
        <Check {...props} name="backlog" label="Put it in the backlog; no worker starts it yet" />
        <Check {...props} name="isPatient" label="If a task in “After” fails, wait for its retry" />
      </div>
    </div>
  )
}
