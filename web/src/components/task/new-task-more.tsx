import { TextField } from '../ui/field'
import { Check, type TaskFieldsProps, text } from './task-form-parts'

/** The fields that few tasks need. */
export function MoreFields(props: TaskFieldsProps) {
  const { form } = props
  return (
    <div className="flex flex-col gap-3 pt-2">
      <div className="grid gap-3 sm:grid-cols-4">
        <TextField label="Most turns" inputMode="numeric" {...text(props, 'maxTurns')} />
        <TextField label="Most US dollars" inputMode="decimal" placeholder="2.50" {...text(props, 'maxCost')} />
        <TextField label="Most time" placeholder="30m" {...text(props, 'timeout')} hint="of each attempt" />
        <TextField label="Tries in all" inputMode="numeric" placeholder="3" {...text(props, 'attempts')} />
      </div>
      <div className="grid gap-3 sm:grid-cols-3">
        <TextField label="Follows up task" className="font-mono" {...text(props, 'parent')} />
        <TextField label="Serves issue" className="font-mono" {...text(props, 'issue')} />
        <TextField label="Epic" className="font-mono" {...text(props, 'epic')} />
      </div>
      <div className="grid gap-3 sm:grid-cols-3">
        <TextField label="Tags" placeholder="one, two words" {...text(props, 'tags')} />
        <TextField label="Type" {...text(props, 'type')} />
        <TextField
          label="Needs"
          {...text(props, 'capabilities')}
          hint="Capabilities: only workers that have them may take it."
        />
      </div>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField label="Not before" type="datetime-local" {...text(props, 'notBefore')} />
        {form.worktree ? (
          <TextField label="Branch begins at" placeholder="HEAD" className="font-mono" {...text(props, 'base')} />
        ) : null}
      </div>
      <div className="flex flex-wrap gap-x-6 gap-y-1.5">
        <Check {...props} name="worktree" label="in a git worktree and on a branch of its own" />
        <Check {...props} name="backlog" label="only note it: nobody starts it yet" />
        <Check {...props} name="isPatient" label="when one of “After” fails, wait for its retry" />
      </div>
    </div>
  )
}
