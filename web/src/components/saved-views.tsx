import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { Bookmark, Check } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useState } from 'react'
import type { Answers } from '#api/contract/operations/index'
import type { ViewList } from '#domain/view/saved-view'
import { client } from '../lib/api'
import { useMay } from '../lib/me'
import { projectName, visibleText } from '../lib/visible-text'
import { SaveViewDialog } from './save-view-dialog'
import { Button } from './ui/button'

/** The project that a list is narrowed to. */
export interface ViewProject {
  /** A folder, name or key. */
  id: string
  name: string
}

/** A project that a filter names by its folder or name. */
export const viewProject = (folder: string | undefined): ViewProject | undefined =>
  folder === undefined ? undefined : { id: folder, name: projectName(folder) }

/** How many rows a view has; `isMore` = at least. */
export interface ViewCount {
  rows: number
  isMore: boolean
}

interface SavedViewsProps {
  list: ViewList
  /** The search part of the address now, with its `?`. */
  search: string
  /** Views that everybody has. */
  builtIn?: readonly { name: string; search: string }[]
  /** Whether the list shows this view now. Default: it has the same search. */
  isApplied?(search: string): boolean
  /** `null` = it is no list of rows. */
  count(search: string, signal: AbortSignal): Promise<ViewCount | null>
  project?: ViewProject | undefined
  onOpen(search: string): void
}

/** Milliseconds for which a count is good: it is asked for while the menu is open. */
const COUNT_MS = 30_000

const ITEM =
  'flex min-h-7 cursor-pointer items-center gap-2 rounded-sm px-2 text-sm outline-none data-[highlighted]:bg-hover max-md:min-h-9'

/** The menu of a list's named views: a person's own, those that others share, and some for everybody. */
export function SavedViews({ list, search, builtIn = [], isApplied, count, project, onOpen }: SavedViewsProps) {
  const [isOpen, setOpen] = useState(false)
  const [isSaving, setSaving] = useState(false)
  const saved =
    useQuery({
      queryKey: ['views', list, project?.id ?? null],
      queryFn: async ({ signal }) => (await client.views.list({ list, project: project?.id }, { signal })).views,
      placeholderData: keepPreviousData,
    }).data ?? []
  const views = [
    ...builtIn.map((view) => ({ ...view, key: `+ ${view.name}`, by: '' })),
    ...saved.map((view) => ({ ...view, key: `${view.owner ?? ''} ${view.name}`, by: bySomebody(view) })),
  ]
  const counts = useQueries({
    queries: views.map(({ search: wanted }) => ({
      queryKey: ['views', 'count', list, wanted],
      queryFn: ({ signal }: { signal: AbortSignal }) => count(wanted, signal),
      enabled: isOpen,
      staleTime: COUNT_MS,
      retry: false,
    })),
  })
  const is = isApplied ?? ((wanted: string) => wanted === search)
  const applied = [...views].reverse().find((view) => is(view.search))
  const maySave = useMay('views.save')
  return (
    <>
      <DropdownMenu.Root modal={false} open={isOpen} onOpenChange={setOpen}>
        <DropdownMenu.Trigger asChild>
          <Button look="quiet" icon={<Bookmark aria-hidden size={13} />}>
            <span className="max-w-32 truncate">{applied === undefined ? 'Views' : visibleText(applied.name)}</span>
          </Button>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content
            align="end"
            sideOffset={4}
            collisionPadding={8}
            className="z-40 max-h-96 w-64 overflow-y-auto rounded border border-line bg-panel p-1 shadow-pop"
          >
            {views.length === 0 ? <p className="px-2 py-1 text-xs text-ink-3">No saved views yet.</p> : null}
            {views.map((view, at) => (
              <DropdownMenu.Item key={view.key} onSelect={() => onOpen(view.search)} className={ITEM}>
                <Check aria-hidden size={12} className={view === applied ? 'shrink-0' : 'shrink-0 opacity-0'} />
                <span className="min-w-0 truncate">{visibleText(view.name)}</span>
                {view.by === '' ? null : <span className="truncate text-2xs text-ink-3">{visibleText(view.by)}</span>}
                <span className="ml-auto text-2xs text-ink-3 tabular-nums">{countWords(counts[at]?.data)}</span>
                {view === applied ? <span className="sr-only">, current</span> : null}
              </DropdownMenu.Item>
            ))}
            {maySave ? (
              <>
                <DropdownMenu.Separator className="my-1 border-t border-line" />
                <DropdownMenu.Item onSelect={() => setSaving(true)} className={ITEM}>
                  Save this view …
                </DropdownMenu.Item>
              </>
            ) : null}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {isSaving ? (
        <SaveViewDialog
          list={list}
          search={search}
          project={project}
          own={saved.filter(({ isOwn }) => isOwn)}
          onClose={() => setSaving(false)}
        />
      ) : null}
    </>
  )
}

type Saved = Answers['views']['list']['views'][number]

/** The owner of a view, or the people that its owner shares it with. */
function bySomebody({ isOwn, isShared, owner, project }: Saved): string {
  if (!isOwn) return `by ${owner ?? 'the operator'}`
  if (!isShared) return ''
  return project === null ? 'shared' : `shared in ${projectName(project)}`
}

const countWords = (count: ViewCount | null | undefined): string =>
  count === undefined || count === null ? '' : `${count.rows.toLocaleString('en')}${count.isMore ? '+' : ''}`
