<?xml version="1.0"?>
<!-- SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0 -->
<!-- Groups the items of a catalogue, sorts each group by price, and makes an index of the names' words. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="html" encoding="UTF-8"/>
  <xsl:key name="by-group" match="item" use="@group"/>

  <xsl:template match="/catalogue">
    <html>
      <body>
        <xsl:for-each select="item[generate-id() = generate-id(key('by-group', @group)[1])]">
          <xsl:sort select="@group"/>
          <h1><xsl:value-of select="@group"/>: <xsl:value-of select="sum(key('by-group', @group)/price)"/></h1>
          <xsl:apply-templates select="key('by-group', @group)">
            <xsl:sort select="price" data-type="number"/>
            <xsl:sort select="name"/>
          </xsl:apply-templates>
        </xsl:for-each>
      </body>
    </html>
  </xsl:template>

  <xsl:template match="item">
    <div id="{@id}">
      <b><xsl:value-of select="concat(price, ' ', name)"/></b>
      <xsl:call-template name="lines">
        <xsl:with-param name="text" select="text"/>
      </xsl:call-template>
    </div>
  </xsl:template>

  <!-- A line for each word. -->
  <xsl:template name="lines">
    <xsl:param name="text"/>
    <xsl:choose>
      <xsl:when test="contains($text, ' ')">
        <p><xsl:value-of select="translate(substring-before($text, ' '), 'abcdef', 'ABCDEF')"/></p>
        <xsl:call-template name="lines">
          <xsl:with-param name="text" select="substring-after($text, ' ')"/>
        </xsl:call-template>
      </xsl:when>
      <xsl:otherwise><p><xsl:value-of select="$text"/></p></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
