/**
 * Exports of programs in which columns mean something of their own, as tables in the form of `languages.ts`. `=sign` are
 * columns that few other tables have: with three of them, a table is such an export, and these meanings come first.
 */
export const products: Readonly<Record<string, string>> = {
  "Shopify orders": `
    =sign: financial status, fulfillment status, lineitem quantity, lineitem name, lineitem price, paid at ·
    order_number: name · order_id: id · created_at: created at`,
  "tickets of a help desk": `
    =sign: requester, requester email, requester id, assignee, assignee id, ticket id, ticket type,
    first response time, resolved at, satisfaction score ·
    ticket_id: id, number, ticket id, ticket number · ticket_title: title · ticket_type: type`,
  "sold tickets": `
    =sign: ticket type, ticket price, attendee, attendee status, order date, order type, checked in, ticket name,
    ticket quantity, ticket class, buyer email, buyer name ·
    order_number: order, id, order id, order number · name: attendee · attendee_number: attendee id`,
  LDAP: `
    =sign: dn, cn, sn, givenname, objectclass, uid, uidnumber, ou, telephonenumber ·
    name: cn, displayname · first_name: givenname, gn · last_name: sn · username: uid · email: mail ·
    phone: telephonenumber · mobile_phone: mobile · fax: facsimiletelephonenumber · street: street, streetaddress ·
    city: l · state: st · country: c, co · postal_code: postalcode · company: o · department: ou, departmentnumber ·
    job_title: title · employee_number: employeenumber · =password: userpassword, sambantpassword, sambalmpassword,
    krbprincipalkey`,
  "Active Directory": `
    =sign: samaccountname, userprincipalname, distinguishedname, objectguid, objectsid, lastlogondate, whencreated,
    whenchanged, useraccountcontrol, pwdlastset, officephone ·
    username: samaccountname · user_principal_name: userprincipalname · name: displayname, name, cn ·
    first_name: givenname · last_name: sn, surname · email: mail, emailaddress · phone: telephonenumber, officephone ·
    street: streetaddress · city: l, city · state: st · country: c, co · company: company, o · job_title: title ·
    last_login_at: lastlogondate · created_at: whencreated, created · updated_at: whenchanged, modified ·
    object_guid: objectguid · =password: userpassword, unicodepwd`,
  WordPress: `
    =sign: user login, user pass, user nicename, user email, user registered, user activation key, user status ·
    username: user login · name: display name · website: user url · signed_up_at: user registered ·
    =password: user pass · =secret: user activation key`,
  "SAP customers": `
    =sign: kunnr, land1, name1, ort01, pstlz, stras, telf1, anred, namev, parnr ·
    customer_id: kunnr · contact_id: parnr · family_or_name: name1 · first_name: namev · salutation: anred ·
    street: stras · postal_code: pstlz · city: ort01 · country: land1 · language: spras · phone: telf1 ·
    mobile_phone: telf2 · fax: telfx · email: smtpaddr · vat_id: stceg · birthday: gbdat · created_at: erdat ·
    updated_at: aedat`,
};
