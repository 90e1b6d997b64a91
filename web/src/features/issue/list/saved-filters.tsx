import { Bookmark, Check, Trash2 } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { type FormEvent, useState } from 'react'
import { Button } from '../../../components/ui/button'
import { Dialog } from '../../../components/ui/dialog'
import { ErrorLine } from '../../../components/ui/error-card'
import { TextField } from '../../../components/ui/field'
import {
  applyFilter,
  BUILT_IN_FILTERS,
  isApplied,
  MAX_NAME_CHARACTERS,
  removeFilter,
  type SavedFilter,
  saveFilter,
  useSavedFilters,
} from './issue-filters'
import type { IssuesSearch } from './issue-search'

interface SavedFiltersProps {
  search: IssuesSearch
  onSearch(search: IssuesSearch): void
}

/** The menu of named views: some for everyone, others stored by this browser. */
export function SavedFilters({ search, onSearch }: SavedFiltersProps) {
  const saved = useSavedFilters()
  const [isNaming, setNaming] = useState(false)
  const applied = [...saved, ...BUILT_IN_FILTERS].find((filter) => isApplied(filter, search))
  const item = (filter: SavedFilter) => (
    <DropdownMenu.Item
      key={filter.name}
      onSelect={() => onSearch(applyFilter(filter, search))}
      className="flex min-h-7 cursor-pointer items-center gap-2 rounded-sm px-2 text-sm outline-none data-[highlighted]:bg-hover max-md:min-h-9"
    >
      <Check aria-hidden size={12} className={filter === applied ? '' : 'opacity-0'} />
      <span className="truncate">{filter.name}</span>
      {filter === applied ? <span className="sr-only">, current</span> : null}
    </DropdownMenu.Item>
  )
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger asChild>
          <Button look="quiet" icon={<Bookmark aria-hidden size={13} />}>
            <span className="max-w-32 truncate">{applied?.name ?? 'Views'}</span>
          </Button>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content
            align="end"
            sideOffset={4}
            collisionPadding={8}
            className="z-40 max-h-96 w-56 overflow-y-auto rounded border border-line bg-panel p-1 shadow-pop"
          >
            {BUILT_IN_FILTERS.map(item)}
            {saved.length > 0 ? <DropdownMenu.Separator className="my-1 border-t border-line" /> : null}
            {saved.map(item)}
            <DropdownMenu.Separator className="my-1 border-t border-line" />
            <DropdownMenu.Item
              onSelect={() => setNaming(true)}
              className="flex min-h-7 cursor-pointer items-center rounded-sm px-2 text-sm outline-none data-[highlighted]:bg-hover max-md:min-h-9"
            >
              Save this view …
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {isNaming ? <KeepView search={search} saved={saved} onClose={() => setNaming(false)} /> : null}
    </>
  )
}

function KeepView({
  search,
  saved,
  onClose,
}: {
  search: IssuesSearch
  saved: readonly SavedFilter[]
  onClose(): void
}) {
  const [name, setName] = useState('')
  const [error, setError] = useState<unknown>(null)
  const keep = (event: FormEvent) => {
    event.preventDefault()
    try {
      saveFilter(name, search)
      onClose()
    } catch (failure) {
      setError(failure)
    }
  }
  return (
    <Dialog
      title="Save this view"
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="main" type="submit" form="keep-view" disabled={name.trim() === ''}>
            Save
          </Button>
        </>
      }
    >
      <form id="keep-view" onSubmit={keep} className="flex flex-col gap-3">
        <TextField
          label="Name"
          hint="The view is saved in this browser. To share it, send the address of this page."
          value={name}
          maxLength={MAX_NAME_CHARACTERS}
          autoFocus
          onChange={(event) => setName(event.target.value)}
        />
        <ErrorLine error={error} />
      </form>
      {saved.length === 0 ? null : (
        <ul className="pt-3 text-sm">
          {saved.map((filter) => (
            <li key={filter.name} className="flex items-center gap-2 border-t border-line py-1">
              <span className="min-w-0 flex-1 truncate">{filter.name}</span>
              <Button
                look="quiet"
                icon={<Trash2 aria-hidden size={13} />}
                onClick={() => removeFilter(filter.name)}
                aria-label={`Remove the view ${filter.name}`}
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
