import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import type { ComparedFile } from '#domain/session/compare'
import type { Session } from '#domain/session/session'
import { counted } from '../../lib/format'
import { visibleText } from '../../lib/visible-text'
import { CompareFile } from './compare-file'

const GROUPS = [
  ['both', 'Changed by both'],
  ['first', 'Only by the first'],
  ['second', 'Only by the second'],
] as const
/** A longer group shows this many at first. */
const SHOWN = 12

interface CompareFilesProps {
  first: Session
  second: Session
  files: readonly ComparedFile[]
  /** When the part ends that both share, ISO 8601; `null` = they share none. */
  sharedUntil: string | null
}

/** The files that two sessions changed. Each opens to what either did to it. */
export function CompareFiles({ files, ...sides }: CompareFilesProps) {
  return (
    <section aria-label="Files" className="flex flex-col gap-2 pt-3 text-xs">
      {GROUPS.map(([by, title]) => (
        <Group key={by} title={title} files={files.filter((file) => file.by === by)} {...sides} />
      ))}
    </section>
  )
}

function Group({ title, files, ...sides }: CompareFilesProps & { title: string }) {
  const [isWhole, setWhole] = useState(false)
  if (files.length === 0) return null
  const shown = isWhole ? files : files.slice(0, SHOWN)
  return (
    <div>
      <h3 className="text-ink-2">
        {title}: {counted(files.length, 'file')}
      </h3>
      <ul>
        {shown.map((file) => (
          <FileItem key={file.path} file={file} {...sides} />
        ))}
      </ul>
      {shown.length < files.length ? (
        <button type="button" onClick={() => setWhole(true)} className="min-h-6 text-accent max-md:min-h-9">
          Show all {files.length}
        </button>
      ) : null}
    </div>
  )
}

function FileItem({ file, ...sides }: Omit<CompareFilesProps, 'files'> & { file: ComparedFile }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        title={visibleText(file.path)}
        className="flex min-h-6 w-full min-w-0 items-center gap-1 text-left hover:bg-hover max-md:min-h-9"
      >
        <ChevronRight aria-hidden size={13} className={`shrink-0 ${isOpen ? 'rotate-90' : ''}`} />
        <span className="truncate font-mono text-2xs">{visibleText(file.path)}</span>
      </button>
      {isOpen ? <CompareFile path={file.path} {...sides} /> : null}
    </li>
  )
}
