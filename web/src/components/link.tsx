import { Link as RouterLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, ReactNode } from 'react'
import { parseSearch } from '../lib/search'

interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  /** Path of the dashboard with its search, e.g. `/tasks/t-7f3k9q2m`. */
  to: string
  children: ReactNode
}

/** A link within the dashboard. */
export function Link({ to, children, className = '', ...rest }: LinkProps) {
  const url = new URL(to, location.origin)
  return (
    <RouterLink
      to={url.pathname as '/'}
      search={parseSearch(url.search)}
      // A view of a page is another place than the page: only the same search is "here".
      activeOptions={{ exact: true, includeSearch: true }}
      className={`rounded-sm hover:underline underline-offset-2 ${className}`}
      {...rest}
    >
      {children}
    </RouterLink>
  )
}
