// The head of a page: title, purpose, buttons.
type PageHeadProps = { readonly intro: React.ReactNode; readonly children?: React.ReactNode }

/** What a page is for, in a sentence, and what can be done on it. */
export function PageHead({ intro, children }: PageHeadProps): React.ReactNode {
  return (
    <header className="page-head">
      <p className="page-intro">{intro}</p>
      {children !== undefined && <div className="page-actions">{children}</div>}
    </header>
  )
}

type PageLinkProps = { readonly href: string; readonly children: React.ReactNode }

/** The link back to the list. */
export function BackLink({ href, children }: PageLinkProps): React.ReactNode {
  return (
    <a className="back-link" href={href}>
      <span aria-hidden="true">←</span> {children}
    </a>
  )
}
