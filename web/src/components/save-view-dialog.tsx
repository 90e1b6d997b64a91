import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { Answers } from '#api/contract/operations/index'
import { VIEW_LIMITS, type ViewList } from '#domain/view/saved-view'
import { client } from '../lib/api'
import { visibleText } from '../lib/visible-text'
import type { ViewProject } from './saved-views'
import { Button } from './ui/button'
import { Dialog } from './ui/dialog'
import { ErrorLine } from './ui/error-card'
import { TextField } from './ui/field'
import { Tick } from './ui/tick'

interface SaveViewDialogProps {
  list: ViewList
  search: string
  /** What the list is narrowed to: the view may be shared there alone. */
  project: ViewProject | undefined
  /** The person's own views of this list. */
  own: readonly Answers['views']['list']['views'][number][]
  onClose(): void
}

/** Names what the list shows now, and removes views that are not used any more. */
export function SaveViewDialog({ list, search, project, own, onClose }: SaveViewDialogProps) {
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [isShared, setShared] = useState(false)
  const [isOfProject, setOfProject] = useState(false)
  const again = () => queries.invalidateQueries({ queryKey: ['views', list] })
  const save = useMutation({
    mutationFn: async () => {
      await client.views.save({
        list,
        name: name.trim(),
        search,
        isShared,
        ...(isShared && isOfProject && project !== undefined && { project: project.id }),
      })
      await again()
    },
    onSuccess: onClose,
  })
  const remove = useMutation({
    mutationFn: async (old: string) => {
      await client.views.remove({ list, name: old })
      await again()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() !== '' && !save.isPending) save.mutate()
  }
  return (
    <Dialog
      title="Save this view"
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="main" type="submit" form="save-view" isBusy={save.isPending} disabled={name.trim() === ''}>
            Save
          </Button>
        </>
      }
    >
      <form id="save-view" onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label="Name"
          hint="It keeps the filters and the order of this list. A view of yours with this name is replaced."
          value={name}
          maxLength={VIEW_LIMITS.name}
          autoFocus
          onChange={(event) => setName(event.target.value)}
        />
        <Tick label="Show it to everybody who reads here" is={isShared} onIs={setShared} />
        {isShared && project !== undefined ? (
          <Tick label={`Only where they look at ${visibleText(project.name)}`} is={isOfProject} onIs={setOfProject} />
        ) : null}
        <ErrorLine error={save.error ?? remove.error} />
      </form>
      {own.length === 0 ? null : (
        <ul aria-label="Your views" className="pt-3 text-sm">
          {own.map((view) => (
            <li key={view.name} className="flex items-center gap-2 border-t border-line py-1">
              <span className="min-w-0 flex-1 truncate">{visibleText(view.name)}</span>
              <Button
                look="quiet"
                icon={<Trash2 aria-hidden size={13} />}
                onClick={() => remove.mutate(view.name)}
                aria-label={`Remove the view ${view.name}`}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}
