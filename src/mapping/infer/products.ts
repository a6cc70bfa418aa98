/** Exports of programs in which columns mean something of their own. */
export interface Product {
  /** Columns that are in no other table; so many of them have to be there. */
  readonly signs: string;
  readonly least: number;
  /** What columns mean, as in the tables of languages; case, spaces and signs do not matter. */
  readonly columns: string;
  readonly resource?: "users";
}

export const products: Readonly<Record<string, Product>> = {
  "Shopify orders": {
    signs:
      "financial status, fulfillment status, lineitem quantity, lineitem name, lineitem price, paid at",
    least: 3,
    columns: "order_number: name · order_id: id · created_at: created at",
  },
  "tickets of a help desk": {
    signs:
      "requester, requester email, requester id, assignee, assignee id, subject, ticket id, ticket type, due date, resolution, first response time, resolved at, satisfaction score",
    least: 3,
    columns:
      "ticket_id: id, number, ticket id, ticket number · ticket_title: title · ticket_type: type",
  },
  "sold tickets": {
    signs:
      "ticket type, ticket price, attendee, attendee status, order date, order type, checked in, ticket name, ticket quantity, ticket class, buyer email, buyer name",
    least: 3,
    columns:
      "order_number: order, id, order id, order number · attendee_number: attendee, attendee id",
  },
  LDAP: {
    signs: "dn, cn, sn, givenname, objectclass, uid, uidnumber, ou, telephonenumber",
    least: 3,
    columns: `
      name: cn, displayname · first_name: givenname, gn · last_name: sn · username: uid · email: mail · phone: telephonenumber · mobile_phone: mobile · fax: facsimiletelephonenumber
      street: street, streetaddress · city: l · state: st · country: c, co · postal_code: postalcode · company: o · department: ou, departmentnumber · job_title: title · employee_number: employeenumber
      =password: userpassword, sambantpassword, sambalmpassword, krbprincipalkey`,
    resource: "users",
  },
  "Active Directory": {
    signs:
      "samaccountname, userprincipalname, distinguishedname, objectguid, objectsid, lastlogondate, whencreated, useraccountcontrol, pwdlastset",
    least: 2,
    columns: `
      username: samaccountname · user_principal_name: userprincipalname · name: displayname, name, cn · first_name: givenname · last_name: sn, surname · email: mail, emailaddress · phone: telephonenumber, officephone
      street: streetaddress · city: l, city · state: st · country: c, co · company: company, o · job_title: title · last_login_at: lastlogondate · created_at: whencreated, created · updated_at: whenchanged, modified
      object_guid: objectguid · =password: userpassword, unicodepwd`,
    resource: "users",
  },
  WordPress: {
    signs:
      "user login, user pass, user nicename, user registered, user activation key, user status",
    least: 2,
    columns:
      "username: user login · name: display name · website: user url · signed_up_at: user registered · =password: user pass · =secret: user activation key",
    resource: "users",
  },
  "SAP customers": {
    signs: "kunnr, land1, name1, ort01, pstlz, stras, telf1, anred, namev, parnr",
    least: 3,
    columns: `
      customer_id: kunnr · contact_id: parnr · family_or_name: name1 · first_name: namev · salutation: anred · street: stras · postal_code: pstlz · city: ort01 · country: land1 · language: spras
      phone: telf1 · mobile_phone: telf2 · fax: telfx · email: smtpaddr · vat_id: stceg · birthday: gbdat · created_at: erdat · updated_at: aedat`,
  },
};
