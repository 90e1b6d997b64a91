import { X } from 'lucide-react'
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { IconButton } from './button'

interface DialogProps {
  title: string
  onClose(): void
  children: ReactNode
  /** Buttons below the content. */
  foot?: ReactNode
  isWide?: boolean
  /** Hides the heading; `title` still names the dialog for assistive technology. */
  isBare?: boolean
  /** The content is only text, so the content itself takes the focus to be scrolled by keys. */
  isText?: boolean
}

/**
 * A modal dialog, by the browser's own element: it traps the focus, restores it, closes on Escape and makes the rest inert. Libraries do the
 * same with a style element, which our content security policy forbids.
 */
export function Dialog({
  title,
  onClose,
  children,
  foot,
  isWide = false,
  isBare = false,
  isText = false,
}: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const [isOpen, setOpen] = useState(false)
  // Opened before painting and closed before removal, or the focus would not return. The content is rendered when the dialog is open, because
  // a field of a closed dialog cannot take the focus.
  useLayoutEffect(() => {
    const dialog = element.current
    if (dialog !== null && !dialog.open) dialog.showModal()
    setOpen(true)
    return () => dialog?.close()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it; clicking the backdrop is a shortcut for pointers
    <dialog
      ref={element}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => {
        if (event.target === element.current) onClose()
      }}
      className={`m-auto mt-[8vh] max-h-[84vh] w-[calc(100vw-1.5rem)] overflow-hidden rounded-lg border border-line bg-panel p-0 text-ink shadow-pop ${isWide ? 'max-w-3xl' : 'max-w-lg'}`}
    >
      {isOpen ? (
        <div className="flex max-h-[84vh] flex-col">
          {isBare ? null : (
            <header className="flex items-center justify-between border-b border-line py-1.5 pr-1.5 pl-4">
              <h2 className="text-sm font-semibold">{title}</h2>
              <IconButton label="Close" onClick={onClose}>
                <X aria-hidden size={16} />
              </IconButton>
            </header>
          )}
          <div
            {...(isText ? { tabIndex: 0, role: 'region', 'aria-label': title } : {})}
            className={`min-h-0 overflow-y-auto focus-visible:outline-offset-[-2px] ${isBare ? '' : 'p-4'}`}
          >
            {children}
          </div>
          {foot === undefined ? null : (
            <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-4 py-2.5">
              {foot}
            </footer>
          )}
        </div>
      ) : null}
    </dialog>
  )
}
